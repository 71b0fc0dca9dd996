package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// signedAt is the time at which the tests sign. signedDate is its form in a header.
var signedAt = time.Date(2024, 10, 3, 12, 49, 15, 0, time.UTC)

const signedDate = "Thu, 03 Oct 2024 12:49:15 GMT"

func ExampleSigned_Canonical() {
	s := auth.Signed{
		Method:      "POST",
		Target:      "/api/v2/partners/teachers",
		ContentType: "application/json",
		Date:        "Thu, 03 Oct 2024 12:49:15 GMT",
		ContentMD5:  "DnZekjf6yHS8rm9AbPsihw==",
		Body:        []byte(`{"name":"X"}`),
	}
	fmt.Println(s.Canonical())
	// Output:
	// POST,application/json,DnZekjf6yHS8rm9AbPsihw==,/api/v2/partners/teachers,Thu, 03 Oct 2024 12:49:15 GMT
}

func ExampleSigned_Verify() {
	now := time.Date(2024, 10, 3, 12, 49, 15, 0, time.UTC)
	s := auth.Signed{Method: "GET", Target: "/api/v2/partners/entities/1", Date: now.Format(http.TimeFormat)}
	s.Authorization = auth.Sign(s, "7-3", "secret", auth.SHA1)
	fmt.Println(s.Authorization)
	fmt.Println(s.Verify("secret", now.Add(15*time.Minute)))
	fmt.Println(s.Verify("secret", now.Add(15*time.Minute+time.Second)))
	s.Target = "/api/v2/partners/entities/2"
	fmt.Println(s.Verify("secret", now))
	// Output:
	// APIAuth 7-3:wY3mPo2l3FYDaLn/K9pwEP9tR1Q=
	// <nil>
	// no valid signature: the date is 15m1s behind the server's clock, and 15m0s is allowed
	// no valid signature: the signature is not that of the canonical string under the key's secret
}

// sign returns s signed with secret under SHA-256. If s has no date, its date is signedAt.
func sign(s auth.Signed) auth.Signed {
	if s.Date == "" && s.XDate == "" {
		s.Date = signedDate
	}
	s.Authorization = auth.Sign(s, "7-3", secret, auth.SHA256)
	return s
}

func checkVerify(t *testing.T, s auth.Signed, want bool) {
	t.Helper()
	if err := s.Verify(secret, signedAt); (err == nil) != want || err != nil && !errors.Is(err, auth.ErrSignature) {
		t.Errorf("Verify(%+v) = %v, want accepted %t", s, err, want)
	}
}

const target = "/api/v2/partners/entities"

// TestCanonicalTarget tests rule 2: the target is signed raw, and without the scheme and host of an absolute form.
func TestCanonicalTarget(t *testing.T) {
	for _, test := range []struct{ target, want string }{
		{"/a/b?c=d&b=a", "/a/b?c=d&b=a"},
		{"/a%2Fb/../c//d/?", "/a%2Fb/../c//d/?"},
		{"//host/a", "//host/a"},
		{"/a?u=http://host/b", "/a?u=http://host/b"},
		{"http://host/a/b?c", "/a/b?c"},
		{"https://user@host:8443/a//b", "/a//b"},
		{"HTTP://[::1]:80/a", "/a"},
		{"a+1-.://host/a", "/a"},
		{"http://host", "/"},
		{"http://host?a=b/c", "/?a=b/c"},
		{"http://", "/"},
		{"://host/a", "://host/a"},
		{"1http://host/a", "1http://host/a"},
		{"a b://host/a", "a b://host/a"},
		{"é://host/a", "é://host/a"},
		{"host:443", "host:443"},
		{"*", "*"},
		{"", ""},
	} {
		if got, want := (auth.Signed{Method: "GET", Target: test.target}).Canonical(), "GET,,,"+test.want+","; got != want {
			t.Errorf("Canonical() of target %q = %q, want %q", test.target, got, want)
		}
	}
}

// TestCanonicalFields tests rule 2: there are always five fields, with the first content hash that the request has, and
// X-Date before Date.
func TestCanonicalFields(t *testing.T) {
	for _, test := range []struct {
		name string
		s    auth.Signed
		want string
	}{
		{"Nothing", auth.Signed{}, ",,,,"},
		{"UpperCase", auth.Signed{Method: "pAtCh"}, "PATCH,,,,"},
		{"NoOtherLetters", auth.Signed{Method: "poſt"}, "POſT,,,,"},
		{"ContentTypeAsSent", auth.Signed{ContentType: "Application/JSON ; Charset=X"}, ",Application/JSON ; Charset=X,,,"},
		{"MD5", auth.Signed{ContentMD5: "m"}, ",,m,,"},
		{"OlderNameBeforeMD5", auth.Signed{APIAuthHash: "a", ContentMD5: "m"}, ",,a,,"},
		{"SHA256BeforeAll", auth.Signed{ContentSHA256: "s", APIAuthHash: "a", ContentMD5: "m"}, ",,s,,"},
		{"Date", auth.Signed{Date: "d"}, ",,,,d"},
		{"XDateBeforeDate", auth.Signed{Date: "d", XDate: "x"}, ",,,,x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.s.Canonical(); got != test.want {
				t.Errorf("Canonical(%+v) = %q, want %q", test.s, got, test.want)
			}
		})
	}
}

// TestVerifyBody tests rule 4: which hash protects which body.
func TestVerifyBody(t *testing.T) {
	const (
		bodySHA, bodyMD5   = "8Zzj72wsVvu7DA5Cc21UfJXoebyZH8HcPbRrKHE7E9M=", "DnZekjf6yHS8rm9AbPsihw=="
		emptySHA, emptyMD5 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "1B2M2Y8AsgTpgAmY7PhCfg=="
	)
	body := []byte(`{"name":"X"}`)
	for _, test := range []struct {
		name string
		s    auth.Signed
		want bool
	}{
		{"SHA256", auth.Signed{Method: "POST", ContentSHA256: bodySHA, Body: body}, true},
		{"OlderName", auth.Signed{Method: "PUT", APIAuthHash: bodySHA, Body: body}, true},
		{"MD5", auth.Signed{Method: "POST", ContentMD5: bodyMD5, Body: body}, true},
		{"All", auth.Signed{Method: "POST", ContentSHA256: bodySHA, APIAuthHash: bodySHA, ContentMD5: bodyMD5, Body: body}, true},
		{"NoHash", auth.Signed{Method: "POST", Body: body}, false},
		{"NoHashOnDelete", auth.Signed{Method: "DELETE", Body: body}, false},
		{"OfAnotherBody", auth.Signed{Method: "POST", ContentSHA256: emptySHA, Body: body}, false},
		{"OfAnotherBodyOnGet", auth.Signed{Method: "GET", ContentMD5: emptyMD5, Body: body}, false},
		{"SecondOfAnotherBody", auth.Signed{Method: "POST", ContentSHA256: bodySHA, ContentMD5: emptyMD5, Body: body}, false},
		{"ThirdOfAnotherBody", auth.Signed{Method: "POST", ContentSHA256: bodySHA, APIAuthHash: emptySHA, Body: body}, false},
		{"MD5AsSHA256", auth.Signed{Method: "POST", ContentSHA256: bodyMD5, Body: body}, false},
		{"SHA256AsMD5", auth.Signed{Method: "POST", ContentMD5: bodySHA, Body: body}, false},
		{"Unpadded", auth.Signed{Method: "POST", ContentSHA256: strings.TrimRight(bodySHA, "="), Body: body}, false},
		{"EmptyPost", auth.Signed{Method: "POST"}, true},
		{"EmptyPostHashed", auth.Signed{Method: "POST", ContentSHA256: emptySHA}, true},
		{"EmptyPostOtherHash", auth.Signed{Method: "POST", ContentSHA256: bodySHA}, false},
		{"EmptyPutOtherHash", auth.Signed{Method: "put", ContentMD5: bodyMD5}, false},
		{"EmptyGetHashed", auth.Signed{Method: "GET", ContentMD5: emptyMD5}, true},
		{"EmptyGetOtherHash", auth.Signed{Method: "GET", ContentMD5: bodyMD5}, true},
		{"EmptyDeleteOtherHash", auth.Signed{Method: "DELETE", ContentMD5: bodyMD5}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.s.Target = target
			checkVerify(t, sign(test.s), test.want)
		})
	}
	if got := auth.HashBody(body); got != bodySHA {
		t.Errorf("HashBody(%s) = %s, want %s", body, got, bodySHA)
	}
}

// TestVerifyHeader tests that VerifyHeader needs no body, so that the server can check the header first.
func TestVerifyHeader(t *testing.T) {
	s := sign(auth.Signed{Method: "POST", Target: target, ContentSHA256: auth.HashBody([]byte("body"))})
	if err := s.VerifyHeader(secret, signedAt); err != nil {
		t.Errorf("VerifyHeader before the body is read = %v, want nil", err)
	}
	for body, want := range map[string]bool{"body": true, "": false, "other": false} {
		s.Body = []byte(body)
		if err := s.VerifyBody(); (err == nil) != want {
			t.Errorf("VerifyBody(%q) = %v, want accepted %t", body, err, want)
		}
		checkVerify(t, s, want)
	}
}

// TestReasons tests the reason, which is for the log. It says how far a clock is off, and contains nothing that the
// client sent.
func TestReasons(t *testing.T) {
	good := auth.Signed{Method: "POST", Target: target, Body: []byte("x"), ContentSHA256: auth.HashBody([]byte("x"))}
	for _, test := range []struct {
		alter func(s *auth.Signed)
		now   time.Time
		want  string
	}{
		{func(s *auth.Signed) { s.Authorization = "" }, signedAt, "there is no Authorization header"},
		{func(s *auth.Signed) { s.Authorization = "Bearer x" }, signedAt, "the Authorization header is not of the form APIAuth id:signature"},
		{func(s *auth.Signed) { s.Date = "" }, signedAt, "there is no Date header"},
		{func(s *auth.Signed) { s.Date = "today" }, signedAt, "the date is no HTTP date that ends in GMT"},
		{func(s *auth.Signed) {}, signedAt.Add(3*time.Hour + 1), "the date is 3h0m0s behind the server's clock, and 15m0s is allowed"},
		{func(s *auth.Signed) {}, signedAt.Add(-901 * time.Second), "the date is 15m1s ahead of the server's clock, and 15m0s is allowed"},
		{func(s *auth.Signed) { s.ContentType = "a,b" }, signedAt, "the method, a hash or the content type has a comma that is not quoted"},
		{func(s *auth.Signed) { s.Target += "?" }, signedAt, "the signature is not that of the canonical string under the key's secret"},
		{func(s *auth.Signed) { s.ContentSHA256 = ""; *s = sign(*s) }, signedAt, "the body has no hash that is signed"},
		{func(s *auth.Signed) { s.Body = []byte("y") }, signedAt, "a hash is not that of the body"},
	} {
		s := sign(good)
		test.alter(&s)
		if err := s.Verify(secret, test.now); err == nil || err.Error() != "no valid signature: "+test.want {
			t.Errorf("Verify(%+v) = %v, want %s", s, err, test.want)
		}
	}
}

// TestVerifyDate tests rule 5: the date is an HTTP date that ends in GMT, at most 900 seconds from now.
func TestVerifyDate(t *testing.T) {
	for _, test := range []struct {
		name, date string
		now        time.Time
		want       bool
	}{
		{"Now", signedDate, signedAt, true},
		{"Old900", signedDate, signedAt.Add(900 * time.Second), true},
		{"Old900AndABit", signedDate, signedAt.Add(900*time.Second + 1), false},
		{"Old901", signedDate, signedAt.Add(901 * time.Second), false},
		{"Ahead900", signedDate, signedAt.Add(-900 * time.Second), true},
		{"Ahead900AndABit", signedDate, signedAt.Add(-900*time.Second - 1), false},
		{"Ahead901", signedDate, signedAt.Add(-901 * time.Second), false},
		{"NowInAnotherZone", signedDate, signedAt.In(time.FixedZone("", -3*3600)), true},
		{"Obsolete", "Thursday, 03-Oct-24 12:49:15 GMT", signedAt, true},
		{"Asctime", "Thu Oct  3 12:49:15 2024", signedAt, false},
		{"Offset", "Thu, 03 Oct 2024 12:49:15 +0000", signedAt, false},
		{"UTC", "Thu, 03 Oct 2024 12:49:15 UTC", signedAt, false},
		{"OtherZone", "Thu, 03 Oct 2024 12:49:15 BRT", signedAt, false},
		{"NoZone", "Thu, 03 Oct 2024 12:49:15", signedAt, false},
		{"ISO", "2024-10-03T12:49:15Z", signedAt, false},
		{"Fraction", "Thu, 03 Oct 2024 12:49:15.000 GMT", signedAt, false},
		{"CommaFraction", "Thu, 03 Oct 2024 12:49:15,000 GMT", signedAt, false},
		{"TextAfter", signedDate + " ", signedAt, false},
		{"NoSuchDay", "Thu, 31 Sep 2024 12:49:15 GMT", signedAt, false},
		{"Year0", "Sat, 01 Jan 0000 00:00:00 GMT", signedAt, false},
		{"Year9999", "Fri, 31 Dec 9999 23:59:59 GMT", signedAt, false},
		{"Text", "now", signedAt, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, s := range []auth.Signed{{Date: test.date}, {XDate: test.date}, {XDate: test.date, Date: "ignored"}} {
				s.Method, s.Target = "GET", target
				s.Authorization = auth.Sign(s, "7-3", secret, auth.SHA256)
				if err := s.Verify(secret, test.now); (err == nil) != test.want {
					t.Errorf("Verify with %q at %v = %v, want accepted %t", test.date, test.now, err, test.want)
				}
			}
		})
	}
	none := auth.Signed{Method: "GET", Target: target}
	none.Authorization = auth.Sign(none, "7-3", secret, auth.SHA256)
	checkVerify(t, none, false)
	checkVerify(t, sign(auth.Signed{Method: "GET", Target: target, XDate: "stale", Date: signedDate}), false)
}

// TestVerifyAmbiguous tests that a signature does not fit another request whose fields join to the same string.
func TestVerifyAmbiguous(t *testing.T) {
	for _, test := range []struct {
		name           string
		signed, replay auth.Signed
	}{
		{"TargetAsHash", auth.Signed{Target: "/a,/b"}, auth.Signed{ContentMD5: ",/a", Target: "/b"}},
		{"TargetAsContentType", auth.Signed{Target: "/a,/b"}, auth.Signed{ContentType: ",", ContentMD5: "/a", Target: "/b"}},
		{"HashAsContentType", auth.Signed{ContentType: "x", ContentMD5: "h", Target: "/a,/b"}, auth.Signed{ContentType: "x,h", ContentMD5: "/a", Target: "/b"}},
		{"QueryAsHash", auth.Signed{ContentType: "x", Target: "/a?b=,/c"}, auth.Signed{ContentType: "x", ContentSHA256: ",/a?b=", Target: "/c"}},
		{"QuotedAsTarget", auth.Signed{ContentType: `x;a="p,q,/r"`, Target: "/t"}, auth.Signed{ContentType: `x;a="p`, ContentMD5: "q", Target: `/r",,/t`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.signed.Method, test.replay.Method = "DELETE", "DELETE"
			signed := sign(test.signed)
			test.replay.Date, test.replay.Authorization = signed.Date, signed.Authorization
			if a, b := signed.Canonical(), test.replay.Canonical(); a != b {
				t.Fatalf("%q and %q differ: this row tests nothing", a, b)
			}
			checkVerify(t, signed, true)
			checkVerify(t, test.replay, false)
		})
	}
}

func TestVerifyCommas(t *testing.T) {
	for contentType, want := range map[string]bool{
		`application/json; profile="a,b"`:    true,
		`application/json; profile="a\",b"`:  true,
		`application/json; profile="a\\",b`:  false,
		`application/json; profile="a,b`:     false,
		`application/json, application/json`: false,
		`application/json; a="`:              false,
		`,`:                                  false,
	} {
		checkVerify(t, sign(auth.Signed{Method: "GET", Target: target, ContentType: contentType}), want)
	}
	checkVerify(t, sign(auth.Signed{Method: "GET,", Target: target}), false)
	checkVerify(t, sign(auth.Signed{Method: "GET", Target: "/a,,b?c=,"}), true)
}

func TestVerifySecret(t *testing.T) {
	s := sign(auth.Signed{Method: "GET", Target: target})
	for _, wrong := range []string{"", secret[1:], secret + "A", strings.ToLower(secret), "B" + secret[1:]} {
		if err := s.Verify(wrong, signedAt); !errors.Is(err, auth.ErrSignature) {
			t.Errorf("Verify(%q) = %v, want ErrSignature", wrong, err)
		}
	}
	s.Authorization = auth.Sign(s, "7-3", "", auth.SHA256)
	if err := s.Verify("", signedAt); !errors.Is(err, auth.ErrSignature) {
		t.Errorf("Verify of a signature with the empty secret = %v, want ErrSignature", err)
	}
}

// TestRefuse tests that a request without a key is refused, whatever secret it is signed with.
func TestRefuse(t *testing.T) {
	for _, key := range []string{secret, strings.Repeat("A", 43), ""} {
		s := auth.Signed{Method: "GET", Target: target, Date: signedDate}
		s.Authorization = auth.Sign(s, "7-3", key, auth.SHA256)
		if err := s.Refuse(signedAt); !errors.Is(err, auth.ErrSignature) {
			t.Errorf("Refuse of a request signed with %q = %v, want ErrSignature", key, err)
		}
	}
}

// TestVerifyDigests tests that a signature with the same secret but another digest does not pass.
func TestVerifyDigests(t *testing.T) {
	all := []auth.Digest{auth.SHA1, auth.SHA224, auth.SHA256, auth.SHA384, auth.SHA512}
	for _, signedWith := range all {
		for _, named := range all {
			s := auth.Signed{Method: "GET", Target: target, Date: signedDate}
			_, _, signature, _ := auth.ParseAuthorization(auth.Sign(s, "7-3", secret, signedWith))
			s.Authorization = "APIAuth-HMAC-" + named.String() + " 7-3:" + signature
			checkVerify(t, s, signedWith == named)
		}
	}
}
