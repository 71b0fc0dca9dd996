package auth_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// TestSealedForm tests the form of a sealed secret, which is stored. A secret may be empty.
func TestSealedForm(t *testing.T) {
	box, err := auth.NewBox(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"", "s"} {
		sealed, err := box.Seal("1-1", secret)
		if err != nil || sealed[0] != 1 || len(sealed) != 1+12+len(secret)+16 {
			t.Errorf("Seal(%q) = %x, %v, want version 1, a nonce of 12 bytes and the sealed secret", secret, sealed, err)
		}
		if got, err := box.Open("1-1", sealed); got != secret || err != nil {
			t.Errorf("Open(Seal(%q)) = %q, %v, want the same secret", secret, got, err)
		}
	}
	stored, err := hex.DecodeString("01" + strings.Repeat("00", 12) + "bdb938277ca845cb9e9461c9bcf62d9599") // made by another program
	if got, _ := box.Open("1-1", stored); got != "s" || err != nil {
		t.Errorf("Open of a stored secret = %q, %v, want s", got, err)
	}
}

// TestIDs tests ids at the bounds of digits and of numbers.
func TestIDs(t *testing.T) {
	for _, id := range []string{"1-1", "9-9", "10-19", "1234567890-2147483647", "9223372036854775807-1"} {
		tenant, number, ok := auth.ParseID(id)
		if got := (auth.Key{Tenant: tenant, Number: number}).ID(); !ok || got != id {
			t.Errorf("ParseID(%q) = %d, %d, %t, which has the id %q, want the same", id, tenant, number, ok, got)
		}
	}
	for _, id := range []string{"0-1", "1-0", ":-1", "1-:", "/-1", "1-2147483648", "9223372036854775808-1", "01-1", "-1"} {
		if tenant, number, ok := auth.ParseID(id); ok {
			t.Errorf("ParseID(%q) = %d, %d, true, want false", id, tenant, number)
		}
	}
}

// TestTargetCharacters tests that a URL may have printable ASCII and no other byte.
func TestTargetCharacters(t *testing.T) {
	for c := range rune(0x100) {
		if c == '#' || c == '?' {
			continue
		}
		url := "/a" + string(c)
		got, err := auth.Target(url)
		if plain := c > 0x20 && c < 0x7f; plain != (err == nil) || plain && got != url {
			t.Errorf("Target(%q) = %q, %v, want an error unless all bytes are printable ASCII", url, got, err)
		}
	}
}

// TestCanonicalCharacters tests that only ASCII letters of a method are converted to upper case, and that a scheme
// begins with an ASCII letter.
func TestCanonicalCharacters(t *testing.T) {
	for c := range byte(0x80) {
		method := "g" + string(rune(c)) + "t"
		want := strings.ToUpper(method) + ",,,/,"
		if got := (auth.Signed{Method: method, Target: "/"}).Canonical(); got != want {
			t.Errorf("Canonical of the method %q = %q, want %q", method, got, want)
		}
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		inside := letter || strings.ContainsRune("0123456789+-.", rune(c))
		for scheme, is := range map[string]bool{string(rune(c)): letter, "a" + string(rune(c)): inside} {
			target := scheme + "://host/path?q"
			want := target
			if is {
				want = "/path?q"
			}
			if got := (auth.Signed{Target: target}).Canonical(); got != ",,,"+want+"," {
				t.Errorf("Canonical of the target %q = %q, want %q", target, got, want)
			}
		}
	}
	for target, want := range map[string]string{"http:///path": "/path", "http://host": "/", "http://?q": "/?q"} {
		if got := (auth.Signed{Target: target}).Canonical(); got != ",,,"+want+"," {
			t.Errorf("Canonical of the target %q = %q, want %q", target, got, want)
		}
	}
}

// TestOneByte tests that a body of one byte needs a hash, which must be its own.
func TestOneByte(t *testing.T) {
	now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		body, hash string
		good       bool
	}{{"", "", true}, {"x", "", false}, {"x", "x", true}, {"x", "y", false}} {
		s := auth.Signed{Method: "GET", Target: "/", Date: now.Format("Mon, 02 Jan 2006 15:04:05 GMT"), Body: []byte(tt.body)}
		if tt.hash != "" {
			s.ContentSHA256 = auth.HashBody([]byte(tt.hash))
		}
		s.Authorization = auth.Sign(s, "1-1", "secret", auth.SHA256)
		if err := s.Verify("secret", now); tt.good != !errors.Is(err, auth.ErrSignature) {
			t.Errorf("Verify of the body %q with the hash of %q = %v", tt.body, tt.hash, err)
		}
	}
}
