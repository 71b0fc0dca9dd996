package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// The errors of boxes. Test for them with errors.Is.
var (
	// ErrBox says that a secret needs a Box with a key, and there is none.
	ErrBox = errors.New("no key to seal secrets with")

	// ErrSealed says that this Box did not seal the text for this id.
	ErrSealed = errors.New("sealed with another key, for another id, or damaged")
)

const (
	boxKeyBytes = 32 // AES-256
	boxVersion  = 1  // the first byte of a sealed secret
)

// Box encrypts the secrets of directory keys. An HMAC needs the secret itself, so a hash cannot be stored; with a Box a
// copy of the database reveals no secret. The cipher is AES-256-GCM. The id of the key is authenticated, so that the
// secret of one key cannot be used for another. A sealed secret is
//
//	version 1 (1 byte) | nonce (12) | ciphertext | tag (16)
//
// The methods of a nil or zero Box return ErrBox. A Box is safe for concurrent use.
type Box struct {
	aead cipher.AEAD
}

// NewBox returns a Box with a key of 32 random bytes. Another length is an error.
func NewBox(key []byte) (*Box, error) {
	if len(key) != boxKeyBytes {
		return nil, fmt.Errorf("the key of a box has %d bytes, not %d", len(key), boxKeyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

// Seal returns the sealed secret of the key with the id.
func (b *Box) Seal(id, secret string) ([]byte, error) {
	if b == nil || b.aead == nil {
		return nil, ErrBox
	}
	return b.aead.Seal([]byte{boxVersion}, nil, []byte(secret), boundTo(id)), nil
}

// Open returns the secret that Seal sealed for the id. The error is ErrBox, or ErrSealed if another Box sealed it or a
// bit has changed.
func (b *Box) Open(id string, sealed []byte) (string, error) {
	if b == nil || b.aead == nil {
		return "", ErrBox
	}
	if len(sealed) == 0 || sealed[0] != boxVersion {
		return "", ErrSealed
	}
	secret, err := b.aead.Open(nil, nil, sealed[1:], boundTo(id))
	if err != nil {
		return "", ErrSealed
	}
	return string(secret), nil
}

// boundTo returns the additional data that is authenticated with the secret of a key.
func boundTo(id string) []byte { return []byte("lectern directory key " + id) }
