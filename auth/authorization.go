package auth

import (
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
