package auth

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrSignature says that a request is not signed correctly. The errors of this package wrap it and say why. The reason
// is for the server's log: the client must not learn it (G3).
var ErrSignature = errors.New("no valid signature")

// DateWindow is how far the date of a signed request may be from the time of the check, in either direction, bounds
// included.
const DateWindow = 900 * time.Second

// Signed is the signature of a request to the partner directory and the parts that it covers, as they were sent (P11).
// An empty string means that the header is absent.
type Signed struct {
	Method      string // of any case: the canonical string has upper case
	Target      string // of the request line, not decoded
	ContentType string
	Date        string
	XDate       string // replaces Date, which a browser cannot set

	ContentSHA256 string // X-Authorization-Content-SHA256: base64 of the body's SHA-256
	APIAuthHash   string // X-APIAuth-Content-Hash: the same under an older name
	ContentMD5    string // Content-MD5: base64 of the body's MD5

	Authorization string
	Body          []byte
}

// Canonical returns the string that is signed: method, content type, content hash, target and date, joined by commas.
// The content hash is the first of the three that is present. A target in absolute form loses its scheme and host.
func (s Signed) Canonical() string {
	return strings.Join([]string{upper(s.Method), s.ContentType, s.contentHash(), origin(s.Target), s.date()}, ",")
}

func (s Signed) contentHash() string { return cmp.Or(s.ContentSHA256, s.APIAuthHash, s.ContentMD5) }
func (s Signed) date() string        { return cmp.Or(s.XDate, s.Date) }

// upper converts only ASCII letters, so that no other method becomes a known one.
func upper(method string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, method)
}

// origin removes scheme and host from a target that has them.
func origin(target string) string {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok || !isScheme(scheme) {
		return target
	}
	end := strings.IndexAny(rest, "/?")
	switch {
	case end < 0:
		return "/"
	case rest[end] == '?':
		return "/" + rest[end:]
	}
	return rest[end:]
}

// isScheme reports whether s is a letter, followed by letters, digits, `+`, `-` and `.`.
func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return s != ""
}

// Verify checks the signature with a secret at a time: it is [Signed.VerifyHeader] and then [Signed.VerifyBody]. The
// error is an ErrSignature unless the request was signed with that secret, is fresh, and has a body that the signature
// protects.
//
// Verify ignores the key's id, and remembers no request: a signed request may be sent again within [DateWindow].
func (s Signed) Verify(secret string, now time.Time) error {
	if err := s.VerifyHeader(secret, now); err != nil {
		return err
	}
	return s.VerifyBody()
}

// VerifyHeader checks everything but the body, which need not have been read: the signature covers the body's hash. So
// a server reads only the bodies of clients that know a secret (P10). All checks run before any refuses, so that the
// time taken reveals nothing. For an unknown key [Signed.Refuse] does the same work.
func (s Signed) VerifyHeader(secret string, now time.Time) error {
	_, alg, signature, parsed := ParseAuthorization(s.Authorization)
	want := alg.mac(secret, s.Canonical())
	signed := subtle.ConstantTimeCompare([]byte(signature), []byte(want)) == 1
	clear, date := s.unambiguous(), s.dateFault(now)
	switch {
	case s.Authorization == "":
		return refusal("there is no Authorization header")
	case !parsed:
		return refusal("the Authorization header is not of the form APIAuth id:signature")
	case date != "":
		return refusal(date)
	case !clear:
		return refusal("the method, a hash or the content type has a comma that is not quoted")
	case secret == "" || !signed:
		return refusal("the signature is not that of the canonical string under the key's secret")
	}
	return nil
}

// VerifyBody checks whether the body is the one that was signed, of a request that passed VerifyHeader.
func (s Signed) VerifyBody() error {
	switch {
	case len(s.Body) > 0 && s.contentHash() == "":
		return refusal("the body has no hash that is signed")
	case !s.protected():
		return refusal("a hash is not that of the body")
	}
	return nil
}

// refusal returns an ErrSignature with a reason, which contains nothing that the client sent.
func refusal(why string) error { return fmt.Errorf("%w: %s", ErrSignature, why) }

// Refuse does the work of VerifyHeader for a request without a live key, and returns ErrSignature.
func (s Signed) Refuse(now time.Time) error {
	s.VerifyHeader(nobody, now)
	return ErrSignature // even for a request signed with that secret
}

// nobody is a secret that no key has, as long as all others.
var nobody = strings.Repeat("A", secretChars)

// unambiguous reports whether the canonical string can only be that of these fields. Its commas are not escaped: with
// those of "/a,/b" a signature of that target would also be one of "/b" with a hash of "/a". So the method and the hash
// may have no comma, and the content type only within quotes. A valid date has exactly one.
func (s Signed) unambiguous() bool {
	return !strings.Contains(s.Method+s.contentHash(), ",") && quotedCommas(s.ContentType)
}

// quotedCommas reports whether all commas of a header are within quotes, which are closed.
func quotedCommas(header string) bool {
	quoted, escaped := false, false
	for _, c := range []byte(header) {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return false
		}
	}
	return !quoted
}

// hashed reports whether the request has a body, or a method that has one.
func (s Signed) hashed() bool {
	method := upper(s.Method)
	return len(s.Body) > 0 || method == "POST" || method == "PUT"
}

// protected reports whether every hash that is present is that of the body, if a hash is required.
func (s Signed) protected() bool {
	if !s.hashed() {
		return true
	}
	sha := HashBody(s.Body)
	sum := md5.Sum(s.Body)
	return matches(s.ContentSHA256, sha) && matches(s.APIAuthHash, sha) &&
		matches(s.ContentMD5, base64.StdEncoding.EncodeToString(sum[:]))
}

// matches reports whether a header is absent or has the value.
func matches(header, want string) bool { return header == "" || header == want }

// HashBody returns the value of the header X-Authorization-Content-SHA256 for a body.
func HashBody(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// dateFault returns what is wrong with the request's date, which must be an HTTP date within the window, or "".
func (s Signed) dateFault(now time.Time) string {
	date, ok := parseDate(s.date())
	behind, ahead := now.Sub(date), date.Sub(now)
	switch {
	case s.date() == "":
		return "there is no Date header"
	case !ok:
		return "the date is no HTTP date that ends in GMT"
	case behind > DateWindow:
		return fmt.Sprintf("the date is %v behind the server's clock, and %v is allowed", behind.Truncate(time.Second), DateWindow)
	case ahead > DateWindow:
		return fmt.Sprintf("the date is %v ahead of the server's clock, and %v is allowed", ahead.Truncate(time.Second), DateWindow)
	}
	return ""
}
