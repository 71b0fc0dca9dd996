package auth_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// secret is the base64url of 32 zero bytes: 43 characters.
var secret = strings.Repeat("A", 43)

func ExampleNewKey() {
	text, key := auth.NewKey(7, 3)
	fmt.Println(text[:4], len(text))
	fmt.Println(key.ID(), key.Matches(text), key.Matches(text[1:]))
	// Output:
	// 7-3- 47
	// 7-3 true false
}

func ExampleKey_RateBudget() {
	first := auth.Key{Tenant: 7, Number: 3, API: auth.Schools, Budget: 3}
	successor := auth.Key{Tenant: 7, Number: 9, API: auth.Schools, Budget: 3}
	library := auth.Key{Tenant: 8, Number: 1, API: auth.Libraries, Budget: 1}
	fmt.Println(first.RateBudget())
	fmt.Println(successor.RateBudget())
	fmt.Println(library.RateBudget())
	// Output:
	// {7 schools/3}
	// {7 schools/3}
	// {8 libraries}
}

func TestParseKey(t *testing.T) {
	for _, test := range []struct {
		name, text string
		tenant     auth.Tenant
		number     int
		ok         bool
	}{
		{"Plain", "7-3-" + secret, 7, 3, true},
		{"LongNumbers", "9223372036854775807-2147483647-" + secret, 9223372036854775807, 2147483647, true},
		{"DashesInSecret", "7-3-" + strings.Repeat("-", 42) + "A", 7, 3, true},
		{"UnderscoresInSecret", "7-3-" + strings.Repeat("_", 42) + "A", 7, 3, true},
		{"Empty", "", 0, 0, false},
		{"OnlySecret", secret, 0, 0, false},
		{"DashAndSecret", "-" + secret, 0, 0, false},
		{"NoNumber", "7-" + secret, 0, 0, false},
		{"EmptyTenant", "-3-" + secret, 0, 0, false},
		{"EmptyNumber", "7--" + secret, 0, 0, false},
		{"ZeroTenant", "0-3-" + secret, 0, 0, false},
		{"ZeroNumber", "7-0-" + secret, 0, 0, false},
		{"Negative", "7--3-" + secret, 0, 0, false},
		{"Plus", "+7-3-" + secret, 0, 0, false},
		{"LeadingZero", "07-3-" + secret, 0, 0, false},
		{"TenantTooBig", "9223372036854775808-3-" + secret, 0, 0, false},
		{"NumberTooBig", "7-2147483648-" + secret, 0, 0, false},
		{"ThreeNumbers", "7-3-1-" + secret, 0, 0, false},
		{"SecretOf42", "7-3-" + secret[1:], 0, 0, false},
		{"SecretOf44", "7-3-A" + secret, 0, 0, false},
		{"StandardBase64", "7-3-" + strings.Repeat("+", 42) + "A", 0, 0, false},
		{"BitsBeyond32Bytes", "7-3-" + secret[1:] + "B", 0, 0, false},
		{"LineBreakInSecret", "7-3-" + secret[1:] + "\n", 0, 0, false},
		{"SpaceAtEnd", "7-3-" + secret + " ", 0, 0, false},
		{"SpaceAtStart", " 7-3-" + secret, 0, 0, false},
		{"OtherDigits", "٧-3-" + secret, 0, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			tenant, number, ok := auth.ParseKey(test.text)
			if tenant != test.tenant || number != test.number || ok != test.ok {
				t.Errorf("ParseKey(%q) = %d, %d, %t, want %d, %d, %t", test.text, tenant, number, ok, test.tenant, test.number, test.ok)
			}
		})
	}
}

// slowKey is a second description of a key's form.
var slowKey = regexp.MustCompile(`^([1-9][0-9]*)-([1-9][0-9]*)-([A-Za-z0-9_-]{43})$`)

// slowParse is another implementation of ParseKey.
func slowParse(text string) (tenant int64, number int, ok bool) {
	m := slowKey.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	tenant, err1 := strconv.ParseInt(m[1], 10, 64)
	n, err2 := strconv.ParseInt(m[2], 10, 32)
	b, err3 := base64.RawURLEncoding.DecodeString(m[3])
	if err1 != nil || err2 != nil || err3 != nil || base64.RawURLEncoding.EncodeToString(b) != m[3] {
		return 0, 0, false
	}
	return tenant, int(n), true
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"7-3-" + secret, "7-3-" + secret[1:] + "B", "07-3-" + secret, "7-3", "--" + secret, "7-3-" + secret[1:] + "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tenant, number, ok := auth.ParseKey(text)
		wantTenant, wantNumber, wantOK := slowParse(text)
		if int64(tenant) != wantTenant || number != wantNumber || ok != wantOK {
			t.Fatalf("ParseKey(%q) = %d, %d, %t, want %d, %d, %t", text, tenant, number, ok, wantTenant, wantNumber, wantOK)
		}
		if id := (auth.Key{Tenant: tenant, Number: number}).ID(); ok && !strings.HasPrefix(text, id+"-") {
			t.Fatalf("ParseKey(%q) returns the id %q, which is not a prefix of the text", text, id)
		}
	})
}

// FuzzParseID checks that an id that can be parsed is spelled as ID spells it.
func FuzzParseID(f *testing.F) {
	for _, s := range []string{"7-3", "7-03", "+7-3", "7-3-", "7", "-", "0-0", "9223372036854775808-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tenant, number, ok := auth.ParseID(s)
		if !ok && (tenant != 0 || number != 0) {
			t.Fatalf("ParseID(%q) = %d, %d, false, want 0, 0, false", s, tenant, number)
		}
		if got := (auth.Key{Tenant: tenant, Number: number}).ID(); ok && got != s {
			t.Fatalf("ParseID(%q) returns the id %q, want the same", s, got)
		}
	})
}

func TestNewKey(t *testing.T) {
	text, k := auth.NewKey(7, 3)
	if tenant, number, ok := auth.ParseKey(text); tenant != 7 || number != 3 || !ok {
		t.Errorf("ParseKey(%q) = %d, %d, %t, want the tenant and number of the key", text, tenant, number, ok)
	}
	want := auth.Key{Tenant: 7, Number: 3, Budget: 3, Hash: auth.Hash(text)}
	if k != want {
		t.Errorf("NewKey = %+v, want %+v", k, want)
	}
	if other, _ := auth.NewKey(7, 3); other == text {
		t.Errorf("a second key = %q, want another text", other)
	}
}

func TestKeyLive(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name             string
		expires, revoked time.Time
		want             bool
	}{
		{"NoExpiry", time.Time{}, time.Time{}, true},
		{"ExpiresLater", now.Add(time.Microsecond), time.Time{}, true},
		{"ExpiresNow", now, time.Time{}, false},
		{"Expired", now.Add(-time.Microsecond), time.Time{}, false},
		{"Revoked", time.Time{}, now.Add(-time.Hour), false},
		{"RevokedByAClockAhead", time.Time{}, now.Add(time.Hour), false},
		{"RevokedBeforeExpiry", now.Add(time.Hour), now, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := auth.Key{Expires: test.expires, Revoked: test.revoked}
			if got := k.Live(now); got != test.want {
				t.Errorf("Live(%v) of a key that expires %v and was revoked %v = %t, want %t", now, test.expires, test.revoked, got, test.want)
			}
		})
	}
}

func TestKeyMatches(t *testing.T) {
	k := auth.Key{Hash: auth.Hash("7-3-" + secret)}
	for text, want := range map[string]bool{
		"7-3-" + secret:           true,
		"7-4-" + secret:           false,
		"7-3-" + secret[1:] + "E": false,
		"":                        false,
	} {
		if got := k.Matches(text); got != want {
			t.Errorf("Matches(%q) = %t, want %t", text, got, want)
		}
	}
	if (auth.Key{}).Matches("") {
		t.Error("a key without a hash matches the empty text")
	}
}

func TestAPIValid(t *testing.T) {
	for api, want := range map[auth.API]bool{
		auth.Directory: true, auth.Schools: true, auth.Libraries: true, "": false, "Schools": false, "teachers": false,
	} {
		if got := api.Valid(); got != want {
			t.Errorf("API(%q).Valid() = %t, want %t", api, got, want)
		}
	}
}
