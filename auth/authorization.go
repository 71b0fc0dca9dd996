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

// ParseAuthorization parses an Authorization header: "APIAuth id:signature", or "APIAuth-HMAC-SHA256 id:signature" with
// another digest. The whole header must match, case included. For anything else ok is false and the other results are
// zero.
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

// Sign returns the Authorization header of a request, signed with the secret of the key with the id. It ignores
// s.Authorization and s.Body. The caller must set the hash of the body and the current date, or use [Signer].
func Sign(s Signed, id, secret string, alg Digest) (authorization string) {
	name := scheme
	if alg != SHA1 {
		name = schemeHMAC + alg.String()
	}
	return name + " " + id + ":" + alg.mac(secret, s.Canonical())
}

// The forms of an HTTP date that end in GMT: today's, and the obsolete one that servers must still accept.
var dateLayouts = [...]string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT"}

// parseDate parses an HTTP date that ends in GMT.
func parseDate(text string) (time.Time, bool) {
	// time.Parse would accept a fraction of a second after a point or a comma.
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

// Digest is the hash function of a signature's HMAC. The zero Digest is SHA1, which a header means that names none.
type Digest int

// The digests that a signature may use.
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

// ParseDigest returns the digest with a name, such as "SHA256", and whether there is one.
func ParseDigest(name string) (Digest, bool) {
	for d, known := range digests {
		if known.name == name {
			return Digest(d), true
		}
	}
	return 0, false
}

// String returns the name of the digest, such as "SHA256". It panics for a value that is none of the constants.
func (d Digest) String() string { return digests[d].name }

// mac returns the HMAC of a text in padded base64. The bytes of the secret are the key.
func (d Digest) mac(secret, text string) string {
	h := hmac.New(digests[d].hash, []byte(secret))
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}
