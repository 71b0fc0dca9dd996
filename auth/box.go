package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
)

// The errors of boxes, to be told with errors.Is.
var (
	// ErrBox says that there is no box, or none under a key, where one is needed.
	ErrBox = errors.New("no key to seal secrets with")

	// ErrSealed says that a box did not seal this text for this id.
	ErrSealed = errors.New("sealed with another key, for another id, or damaged")
)

const (
	boxKeyBytes = 32 // AES-256
	boxVersion  = 1  // the first byte of what is sealed
)

// Box seals the secrets of directory keys, which must be recoverable to compute an
// HMAC, so that a copy of the database opens nothing. It is AES-256-GCM; the id of
// the key is authenticated along, so that no secret passes for that of another
// key. What is sealed is
//
//	version 1 (1 byte) | nonce (12) | ciphertext | tag (16)
//
// A nil Box and the zero Box answer ErrBox. A Box is safe for concurrent use.
type Box struct {
	aead cipher.AEAD
}

// NewBox returns the box under a key of 32 random bytes. Another length is an error.
func NewBox(key []byte) (*Box, error) {
	if len(key) != boxKeyBytes {
		return nil, fmt.Errorf("the key of a box has %d bytes, not %d", len(key), boxKeyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

// Seal returns the secret of the key with the id, sealed, with a nonce from rand,
// which should be [crypto/rand.Reader]. The error is ErrBox, or that of rand.
func (b *Box) Seal(id string, secret string, rand io.Reader) ([]byte, error) {
	if b == nil || b.aead == nil {
		return nil, ErrBox
	}
	start := 1 + b.aead.NonceSize()
	sealed := make([]byte, start, start+len(secret)+b.aead.Overhead())
	sealed[0] = boxVersion
	nonce := sealed[1:start]
	if _, err := io.ReadFull(rand, nonce); err != nil {
		return nil, fmt.Errorf("key %s: random bytes: %w", id, err)
	}
	return b.aead.Seal(sealed, nonce, []byte(secret), boundTo(id)), nil
}

// Open returns the secret that Seal sealed for the id. The error is ErrBox, or
// ErrSealed where this box did not, or a byte is not what it was.
func (b *Box) Open(id string, sealed []byte) (string, error) {
	if b == nil || b.aead == nil {
		return "", ErrBox
	}
	start := 1 + b.aead.NonceSize()
	if len(sealed) < start+b.aead.Overhead() || sealed[0] != boxVersion {
		return "", ErrSealed
	}
	secret, err := b.aead.Open(nil, sealed[1:start], sealed[start:], boundTo(id))
	if err != nil {
		return "", ErrSealed
	}
	return string(secret), nil
}

// boundTo is the additional data of what is sealed for the key with the id.
func boundTo(id string) []byte { return []byte("lectern directory key " + id) }
