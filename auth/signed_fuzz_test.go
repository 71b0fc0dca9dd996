package auth_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
)

// fuzzed makes a request from the fuzzer's values, with the hash of the body.
func fuzzed(method, target, contentType string, body []byte) auth.Signed {
	s := auth.Signed{Method: method, Target: target, ContentType: contentType, Body: body}
	if len(body) > 0 {
		s.ContentSHA256 = auth.HashBody(body)
	}
	return s
}

// alterations are the parts of a request in which a changed byte makes another request.
var alterations = []struct {
	name string
	of   func(s *auth.Signed) *string
}{
	{"method", func(s *auth.Signed) *string { return &s.Method }},
	{"target", func(s *auth.Signed) *string { return &s.Target }},
	{"content type", func(s *auth.Signed) *string { return &s.ContentType }},
	{"date", func(s *auth.Signed) *string { return &s.Date }},
	{"hash", func(s *auth.Signed) *string { return &s.ContentSHA256 }},
	{"authorization", func(s *auth.Signed) *string { return &s.Authorization }},
}

// FuzzVerify checks that a signed request is accepted unless rules 2 and 4 refuse it, and that one with a changed byte
// is not.
func FuzzVerify(f *testing.F) {
	f.Add("GET", "/api/v2/partners/entities?entity_type=school&after=a,b", "", []byte(nil), 3, byte(1))
	f.Add("POST", "/api/v2/partners//teachers", `application/json; a="b,\""`, []byte(`{"name":"São"}`), 0, byte(0x20))
	f.Add("PUT", "http://host/a%2fb?", "application/json", []byte{0, 255}, 9, byte(128))
	f.Add("delete", "*", ",", []byte("\n"), -1, byte(255))
	f.Fuzz(func(t *testing.T, method, target, contentType string, body []byte, at int, by byte) {
		s := sign(fuzzed(method, target, contentType, body))
		commas := strings.Contains(method, ",") || strings.ContainsAny(contentType, `,"`) // then rules 2 and 4 may refuse it
		if err := s.Verify(secret, signedAt); err != nil && !commas || err != nil && !errors.Is(err, auth.ErrSignature) {
			t.Fatalf("Verify(%+v) of the signed request = %v", s, err)
		}
		if by == 0 {
			return
		}
		for _, a := range alterations {
			changed := s
			text := []byte(*a.of(&changed))
			if len(text) == 0 {
				continue
			}
			text[uint(at)%uint(len(text))] ^= by
			*a.of(&changed) = string(text)
			same := changed.Canonical() == s.Canonical() && changed.Authorization == s.Authorization
			keyID := a.name == "authorization" && strings.HasSuffix(changed.Authorization, s.Authorization[strings.Index(s.Authorization, ":"):])
			if err := changed.Verify(secret, signedAt); err == nil && !same && !keyID {
				t.Fatalf("Verify(%+v) = nil, with another %s than %+v", changed, a.name, s)
			}
		}
		checkBodies(t, s, uint(at), by)
	})
}

// checkBodies checks that no other body passes: one with a changed, an added or a removed byte.
func checkBodies(t *testing.T, s auth.Signed, at uint, by byte) {
	t.Helper()
	others := [][]byte{append(bytes.Clone(s.Body), by)}
	if n := uint(len(s.Body)); n > 0 {
		other := bytes.Clone(s.Body)
		other[at%n] ^= by
		others = append(others, other, s.Body[1:])
	}
	for _, body := range others {
		changed := s
		changed.Body = body
		if len(body) == 0 && s.Method != "POST" && s.Method != "PUT" {
			continue // an empty body needs no hash
		}
		if err := changed.Verify(secret, signedAt); err == nil {
			t.Fatalf("Verify with the body %q = nil, want an error: the body %q was signed", body, s.Body)
		}
	}
}

// FuzzVerifyUnsigned checks that no request makes Verify panic, and that none is accepted without the secret.
func FuzzVerifyUnsigned(f *testing.F) {
	f.Add("GET", "/a", "", signedDate, "", "", "APIAuth 7-3:uPnYbP7h0g3MohPsgodfCK2RP6g=", []byte(nil))
	f.Add("", "://", `"`, "", "Thursday, 03-Oct-24 12:49:15 GMT", ",", "APIAuth-HMAC-SHA512 :", []byte{0})
	f.Fuzz(func(t *testing.T, method, target, contentType, date, xDate, hash, authorization string, body []byte) {
		s := auth.Signed{
			Method: method, Target: target, ContentType: contentType, Date: date, XDate: xDate,
			ContentSHA256: hash, ContentMD5: hash, Authorization: authorization, Body: body,
		}
		if err := s.Verify(secret, signedAt); !errors.Is(err, auth.ErrSignature) {
			t.Fatalf("Verify(%+v) = %v, want ErrSignature", s, err)
		}
	})
}
