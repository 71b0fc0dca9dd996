package auth

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
)

// Digest is the hash function of a signature's HMAC. The zero Digest is SHA1,
// which is what a header without a name of one means.
type Digest int

// The digests that a signature may have. There is no MD5.
const (
	SHA1 Digest = iota
	SHA224
	SHA256
	SHA384
	SHA512
)

var digests = [...]struct {
	name string
	hash func() hash.Hash
}{
	SHA1:   {"SHA1", sha1.New},
	SHA224: {"SHA224", sha256.New224},
	SHA256: {"SHA256", sha256.New},
	SHA384: {"SHA384", sha512.New384},
	SHA512: {"SHA512", sha512.New},
}

// ParseDigest reads the name of a digest as the header has it, such as "SHA256",
// and reports whether it is one.
func ParseDigest(name string) (Digest, bool) {
	for d, known := range digests {
		if known.name == name {
			return Digest(d), true
		}
	}
	return 0, false
}

// String is the name of the digest, such as "SHA256". It panics on a value that
// is none of the constants.
func (d Digest) String() string { return digests[d].name }

// mac is the HMAC of a text under a secret, whose bytes are the key as they are,
// in padded base64.
func (d Digest) mac(secret, text string) string {
	h := hmac.New(digests[d].hash, []byte(secret))
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}
