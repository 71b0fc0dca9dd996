package auth_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
)

// TestParseAuthorization tests rule 1: the whole header must match, case included.
func TestParseAuthorization(t *testing.T) {
	for _, test := range []struct {
		name, header  string
		id, signature string
		alg           auth.Digest
		ok            bool
	}{
		{"Plain", "APIAuth 7-3:c2ln", "7-3", "c2ln", auth.SHA1, true},
		{"SHA1", "APIAuth-HMAC-SHA1 7-3:c2ln", "7-3", "c2ln", auth.SHA1, true},
		{"SHA224", "APIAuth-HMAC-SHA224 7-3:c2ln", "7-3", "c2ln", auth.SHA224, true},
		{"SHA256", "APIAuth-HMAC-SHA256 7-3:c2ln", "7-3", "c2ln", auth.SHA256, true},
		{"SHA384", "APIAuth-HMAC-SHA384 7-3:c2ln", "7-3", "c2ln", auth.SHA384, true},
		{"SHA512", "APIAuth-HMAC-SHA512 7-3:c2ln", "7-3", "c2ln", auth.SHA512, true},
		{"AnyID", "APIAuth an id/é=:c2ln", "an id/é=", "c2ln", auth.SHA1, true},
		{"ColonInSignature", "APIAuth 7-3:a:b", "7-3", "a:b", auth.SHA1, true},
		{"Empty", "", "", "", 0, false},
		{"OnlyScheme", "APIAuth", "", "", 0, false},
		{"SchemeAndSpace", "APIAuth ", "", "", 0, false},
		{"NoColon", "APIAuth 7-3", "", "", 0, false},
		{"NoID", "APIAuth :c2ln", "", "", 0, false},
		{"NoSignature", "APIAuth 7-3:", "", "", 0, false},
		{"LowerCase", "apiauth 7-3:c2ln", "", "", 0, false},
		{"UpperCase", "APIAUTH 7-3:c2ln", "", "", 0, false},
		{"OtherScheme", "Bearer 7-3:c2ln", "", "", 0, false},
		{"MD5", "APIAuth-HMAC-MD5 7-3:c2ln", "", "", 0, false},
		{"SHA", "APIAuth-HMAC-SHA 7-3:c2ln", "", "", 0, false},
		{"LowerDigest", "APIAuth-HMAC-sha256 7-3:c2ln", "", "", 0, false},
		{"NoDigest", "APIAuth-HMAC- 7-3:c2ln", "", "", 0, false},
		{"DigestWithoutHMAC", "APIAuth-SHA256 7-3:c2ln", "", "", 0, false},
		{"LongerDigest", "APIAuth-HMAC-SHA2566 7-3:c2ln", "", "", 0, false},
		{"SpaceBefore", " APIAuth 7-3:c2ln", "", "", 0, false},
		{"TabBetween", "APIAuth\t7-3:c2ln", "", "", 0, false},
		{"TextBefore", "XAPIAuth 7-3:c2ln", "", "", 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			id, alg, signature, ok := auth.ParseAuthorization(test.header)
			if id != test.id || alg != test.alg || signature != test.signature || ok != test.ok {
				t.Errorf("ParseAuthorization(%q) = %q, %v, %q, %t, want %q, %v, %q, %t",
					test.header, id, alg, signature, ok, test.id, test.alg, test.signature, test.ok)
			}
		})
	}
}

// slowAuthorization is a second description of the header's form.
var slowAuthorization = regexp.MustCompile(`(?s)^APIAuth(?:-HMAC-(SHA1|SHA224|SHA256|SHA384|SHA512))? ([^:]+):(.+)$`)

func FuzzParseAuthorization(f *testing.F) {
	for _, s := range []string{
		"APIAuth 7-3:c2ln", "APIAuth-HMAC-SHA256 7-3:c2ln", "APIAuth-HMAC-MD5 7-3:c2ln", "APIAuth  7:3:", "APIAuth", "APIAuth \n:\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		id, alg, signature, ok := auth.ParseAuthorization(header)
		m := slowAuthorization.FindStringSubmatch(header)
		if m == nil {
			if ok || id != "" || alg != 0 || signature != "" {
				t.Fatalf("ParseAuthorization(%q) = %q, %v, %q, %t, want nothing", header, id, alg, signature, ok)
			}
			return
		}
		digest := m[1]
		if digest == "" {
			digest = "SHA1"
		}
		if !ok || id != m[2] || alg.String() != digest || signature != m[3] {
			t.Fatalf("ParseAuthorization(%q) = %q, %v, %q, %t, want %q", header, id, alg, signature, ok, m[1:])
		}
	})
}

func TestDigests(t *testing.T) {
	for _, d := range []auth.Digest{auth.SHA1, auth.SHA224, auth.SHA256, auth.SHA384, auth.SHA512} {
		if got, ok := auth.ParseDigest(d.String()); got != d || !ok {
			t.Errorf("ParseDigest(%q) = %v, %t, want the same digest", d, got, ok)
		}
	}
	for _, name := range []string{"", "MD5", "sha1", "SHA", "SHA3", "SHA1 "} {
		if d, ok := auth.ParseDigest(name); ok || d != 0 {
			t.Errorf("ParseDigest(%q) = %v, %t, want false", name, d, ok)
		}
	}
}

// TestSignHeader tests the header of each digest. A header without a name means SHA-1, which every server reads.
func TestSignHeader(t *testing.T) {
	for alg, want := range map[auth.Digest]string{
		auth.SHA1:   "APIAuth 7-3:",
		auth.SHA224: "APIAuth-HMAC-SHA224 7-3:",
		auth.SHA256: "APIAuth-HMAC-SHA256 7-3:",
		auth.SHA384: "APIAuth-HMAC-SHA384 7-3:",
		auth.SHA512: "APIAuth-HMAC-SHA512 7-3:",
	} {
		if got := auth.Sign(auth.Signed{Method: "GET"}, "7-3", "s", alg); !strings.HasPrefix(got, want) {
			t.Errorf("Sign with %v = %q, want it to begin with %q", alg, got, want)
		}
	}
}
