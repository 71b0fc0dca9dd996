package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The headers that hold a hash of the body, besides Content-MD5.
const (
	headerSHA256      = "X-Authorization-Content-SHA256"
	headerAPIAuthHash = "X-APIAuth-Content-Hash"
)

// SignedFrom returns what a request says of its signature, with the body, which
// the caller has read. It takes the request of a server, whose raw target is
// [http.Request.RequestURI], or that of a client, which has none yet and will send
// what its URL makes. A header sent twice is one with both values, as HTTP has it.
func SignedFrom(r *http.Request, body []byte) Signed {
	target := r.RequestURI
	if target == "" && r.URL != nil {
		target = r.URL.RequestURI()
	}
	header := func(name string) string { return strings.Join(r.Header.Values(name), ", ") }
	return Signed{
		Method: first(r.Method, http.MethodGet), // a client's empty one is GET
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
	Digest Digest           // the zero one is SHA1, which every server reads
	Now    func() time.Time // nil = time.Now
}

// Sign sets the headers of a request with the body, which the request has already
// or will be given: the hash of the body, where there is one or the method has one,
// the date where there is neither Date nor X-Date, and Authorization. All else must
// be set before, Content-Type too.
func (s Signer) Sign(r *http.Request, body []byte) {
	now := s.Now
	if now == nil {
		now = time.Now
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	if (Signed{Method: r.Method, Body: body}).hashed() {
		r.Header.Set(headerSHA256, HashBody(body))
	}
	if r.Header.Get("Date") == "" && r.Header.Get("X-Date") == "" {
		r.Header.Set("Date", now().UTC().Format(http.TimeFormat))
	}
	r.Header.Set("Authorization", Sign(SignedFrom(r, body), s.ID, s.Secret, s.Digest))
}

// Target returns the target that a client sends for a URL which it takes as it is, as curl does: path and query, not decoded
// and not cleaned. The error says what to mend: a URL has a scheme and a host, or begins with a slash, and is plain ASCII, since
// clients encode what is not, each in its own way, and the signature would be of another URL.
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
