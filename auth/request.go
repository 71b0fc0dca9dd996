package auth

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The headers with a hash of the body, besides Content-MD5.
const (
	headerSHA256      = "X-Authorization-Content-SHA256"
	headerAPIAuthHash = "X-APIAuth-Content-Hash"
)

// SignedFrom returns the signed parts of a request. body is the request's body, which the caller has read. r is a
// request of a server, whose target is [http.Request.RequestURI], or of a client, whose target its URL makes. A header
// that was sent twice has both values, joined by a comma.
func SignedFrom(r *http.Request, body []byte) Signed {
	target := r.RequestURI
	if target == "" && r.URL != nil {
		target = r.URL.RequestURI()
	}
	header := func(name string) string { return strings.Join(r.Header.Values(name), ", ") }
	return Signed{
		Method: cmp.Or(r.Method, http.MethodGet), // a client's empty one is GET
		Target: target,

		ContentType:   header("Content-Type"),
		Date:          header("Date"),
		XDate:         header("X-Date"),
		ContentSHA256: header(headerSHA256),
		APIAuthHash:   header(headerAPIAuthHash),
		ContentMD5:    header("Content-MD5"),

		Authorization: header("Authorization"),
		Body:          body,
	}
}

// Signer signs the requests of a client.
type Signer struct {
	ID     string // of the key
	Secret string
	Digest Digest           // zero = SHA1, which every server accepts
	Now    func() time.Time // nil = time.Now
}

// Sign signs a request with a body, which the caller sets before or after. It sets the hash of the body if the method
// has one, the date if there is neither Date nor X-Date, and Authorization. The caller must set all other headers
// first, Content-Type too.
func (s Signer) Sign(r *http.Request, body []byte) {
	if s.Now == nil {
		s.Now = time.Now
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	if (Signed{Method: r.Method, Body: body}).hashed() {
		r.Header.Set(headerSHA256, HashBody(body))
	}
	if r.Header.Get("Date") == "" && r.Header.Get("X-Date") == "" {
		r.Header.Set("Date", s.Now().UTC().Format(http.TimeFormat))
	}
	r.Header.Set("Authorization", Sign(SignedFrom(r, body), s.ID, s.Secret, s.Digest))
}

// Target returns the target that a client such as curl sends for a URL: its path and query, neither decoded nor
// cleaned. The URL must have a scheme and a host, or begin with a slash, and be ASCII: clients encode other characters
// differently, so that the signature would not match. The error says what to change.
func Target(url string) (string, error) {
	if strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", errors.New("the URL has a space, an accent or a control character; percent-encode it")
	}
	target := url
	if !strings.HasPrefix(url, "/") {
		_, rest, ok := strings.Cut(url, "://")
		if !ok {
			return "", fmt.Errorf("%q is no URL; write http://HOST/PATH", url)
		}
		target = rest[strings.IndexAny(rest+"/", "/?#"):]
	}
	target, _, _ = strings.Cut(target, "#")
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return target, nil
}
