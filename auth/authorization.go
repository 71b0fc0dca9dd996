package auth

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"net/http"
	"strings"
	"time"
)

const (
	scheme     = "APIAuth"
	schemeHMAC = "APIAuth-HMAC-" // and the name of a digest
)

// ParseAuthorization takes an Authorization header apart: "APIAuth id:signature",
// or "APIAuth-HMAC-SHA256 id:signature" with another digest. It is matched whole
// and in this case. ok is false, and the rest zero, for anything else.
func ParseAuthorization(header string) (id string, alg Digest, signature string, ok bool) {
	name, credentials, _ := strings.Cut(header, " ")
	if digest, named := strings.CutPrefix(name, schemeHMAC); named {
		alg, ok = ParseDigest(digest)
	} else {
		ok = name == scheme
	}
	id, signature, colon := strings.Cut(credentials, ":")
	if !ok || !colon || id == "" || signature == "" {
		return "", 0, "", false
	}
	return id, alg, signature, true
}

// Sign returns the Authorization header of a request under the secret of the key
// with the id. What s has as Authorization and Body does not matter; that the hash
// is the body's, and the date now, is for the caller to see to, or use [Signer].
func Sign(s Signed, id, secret string, alg Digest) (authorization string) {
	name := scheme
	if alg != SHA1 {
		name = schemeHMAC + alg.String()
	}
	return name + " " + id + ":" + alg.mac(secret, s.Canonical())
}

// The forms of an HTTP date that end in GMT: today's, and the obsolete one that
// servers go on reading.
var dateLayouts = [...]string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT"}

// parseDate reads an HTTP date that ends in GMT.
func parseDate(text string) (time.Time, bool) {
	// time.Parse would take a fraction of a second, after a point or a comma.
	if strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return time.Time{}, false
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

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
