package auth

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrSignature says that a request is not signed as it must be. The errors of this
// package wrap it and say why. That is for the log of who judges: the client may not
// learn it (G3).
var ErrSignature = errors.New("no valid signature")

// DateWindow is how far the date of a signed request may be from the time of the
// check, either way, both ends included.
const DateWindow = 900 * time.Second

// Signed is what a signature covers, and the signature: the parts of a request to
// the partner directory, as they were sent (P11). An empty text stands for a
// header that is absent.
type Signed struct {
	Method      string // upper case or not: the canonical string has upper case
	Target      string // the raw target of the request line, nothing decoded
	ContentType string
	Date        string
	XDate       string // takes the place of Date: a browser cannot set that one

	ContentSHA256 string // X-Authorization-Content-SHA256: base64 of the body's SHA-256
	APIAuthHash   string // X-APIAuth-Content-Hash: the same under an older name
	ContentMD5    string // Content-MD5: base64 of the body's MD5

	Authorization string
	Body          []byte
}

// Canonical is the string that is signed: method, content type, content hash,
// target and date, joined by commas. The content hash is the first of the three
// that is there. A target in absolute form loses its scheme and host.
func (s Signed) Canonical() string {
	return strings.Join([]string{upper(s.Method), s.ContentType, s.contentHash(), origin(s.Target), s.date()}, ",")
}

func (s Signed) contentHash() string { return first(s.ContentSHA256, s.APIAuthHash, s.ContentMD5) }
func (s Signed) date() string        { return first(s.XDate, s.Date) }

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// upper turns the letters of ASCII alone: no other method may become a known one.
func upper(method string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, method)
}

// origin takes scheme and host from a target that has them.
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

// isScheme reports whether s is a letter and then letters, digits, `+`, `-`, `.`.
func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return s != ""
}

// Verify judges the signature under a secret at a time. The error is an
// ErrSignature for every request that is not signed with that secret, is not fresh,
// or has a body that the signature does not protect. It is [Signed.VerifyHeader] and
// then [Signed.VerifyBody].
//
// The header's key id is not looked at, and no request is remembered: what was
// signed may be sent again within [DateWindow].
func (s Signed) Verify(secret string, now time.Time) error {
	if err := s.VerifyHeader(secret, now); err != nil {
		return err
	}
	return s.VerifyBody()
}

// VerifyHeader judges all but the body, which need not have been read: the
// signature covers the body's hash, and so a server reads only the bodies of those
// who know a secret (P10). All is judged before any of it is refused, so that the
// time taken tells nothing; where there is no such key, [Signed.Refuse] does the same
// work.
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

// VerifyBody judges whether the body is the one that was signed, of a request that
// VerifyHeader has found good.
func (s Signed) VerifyBody() error {
	switch {
	case len(s.Body) > 0 && s.contentHash() == "":
		return refusal("the body has no hash that is signed")
	case !s.protected():
		return refusal("a hash is not that of the body")
	}
	return nil
}

// refusal is ErrSignature with a reason, which has no text of the client in it.
func refusal(why string) error { return fmt.Errorf("%w: %s", ErrSignature, why) }

// Refuse does the work of VerifyHeader for a request of which no live key is known,
// and returns ErrSignature.
func (s Signed) Refuse(now time.Time) error {
	s.VerifyHeader(nobody, now)
	return ErrSignature // even to who signs with that secret
}

// nobody is a secret of the length of all, which no key has.
var nobody = strings.Repeat("A", secretChars)

// unambiguous reports whether the canonical string can be of these fields alone.
// Its commas are not escaped: those of "/a,/b" would else make a signature of that
// target one of "/b" with a hash of "/a". So there may be none in the method and
// the hash, and in the content type within quotes alone. A good date has one.
func (s Signed) unambiguous() bool {
	return !strings.Contains(s.Method+s.contentHash(), ",") && quotedCommas(s.ContentType)
}

// quotedCommas reports whether all commas of a header are within quotes, which
// are closed.
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

// hashed reports whether there is a body, or a method that has one.
func (s Signed) hashed() bool {
	method := upper(s.Method)
	return len(s.Body) > 0 || method == "POST" || method == "PUT"
}

// protected reports whether every hash that is there is the body's, where one counts.
func (s Signed) protected() bool {
	if !s.hashed() {
		return true
	}
	sha := HashBody(s.Body)
	sum := md5.Sum(s.Body)
	return matches(s.ContentSHA256, sha) && matches(s.APIAuthHash, sha) &&
		matches(s.ContentMD5, base64.StdEncoding.EncodeToString(sum[:]))
}

// matches reports whether a hash header is absent or has the value.
func matches(header, want string) bool { return header == "" || header == want }

// HashBody is the value of the header X-Authorization-Content-SHA256 for a body.
func HashBody(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// dateFault returns what is wrong with the request's date, which must be an HTTP date
// within the window, or nothing.
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
