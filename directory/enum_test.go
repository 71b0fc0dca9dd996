package directory_test

import (
	"testing"
	"testing/cryptotest"

	"github.com/lectern-dev/lectern/directory"
)

func TestEntityType(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   directory.EntityType
		parent directory.EntityType // 0 = the partner
	}{
		{"network", directory.Network, 0},
		{"school", directory.School, directory.Network},
		{"class", directory.Class, directory.School},
	} {
		got, ok := directory.ParseEntityType(c.text)
		if got != c.want || !ok || got.String() != c.text {
			t.Errorf("ParseEntityType(%q) = %v, %t, want %v, true", c.text, got, ok, c.want)
		}
		if p, ok := got.Parent(); p != c.parent || ok != (c.parent != 0) {
			t.Errorf("%v.Parent() = %v, %t, want %v", got, p, ok, c.parent)
		}
	}
	for _, text := range []string{"", "Network", "classes", "entity type 0"} {
		if got, ok := directory.ParseEntityType(text); got != 0 || ok {
			t.Errorf("ParseEntityType(%q) = %v, %t, want 0, false", text, got, ok)
		}
	}
	for _, none := range []directory.EntityType{0, 4} {
		if p, ok := none.Parent(); p != 0 || ok {
			t.Errorf("%v.Parent() = %v, %t, want 0, false", none, p, ok)
		}
	}
}

func TestKind(t *testing.T) {
	for text, want := range map[string]directory.Kind{
		"reader": directory.Reader, "teacher": directory.Teacher,
		"administrator": directory.Administrator, "internal": directory.Internal,
	} {
		if got, ok := directory.ParseKind(text); got != want || !ok || got.String() != text {
			t.Errorf("ParseKind(%q) = %v, %t, want %v, true", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "student", "Reader", "kind 0", "kind 5"} {
		if got, ok := directory.ParseKind(text); got != 0 || ok {
			t.Errorf("ParseKind(%q) = %v, %t, want 0, false", text, got, ok)
		}
	}
}

// TestDefaultDegrees tests the list of P3.
func TestDefaultDegrees(t *testing.T) {
	want := directory.Degrees{
		{"I", "INFANTIL", 0},
		{"1", "FUNDAMENTAL 1", 1}, {"2", "FUNDAMENTAL 1", 2}, {"3", "FUNDAMENTAL 1", 3}, {"4", "FUNDAMENTAL 1", 4}, {"5", "FUNDAMENTAL 1", 5},
		{"6", "FUNDAMENTAL 2", 6}, {"7", "FUNDAMENTAL 2", 7}, {"8", "FUNDAMENTAL 2", 8}, {"9", "FUNDAMENTAL 2", 9},
		{"M", "MEDIO", 0}, {"M1", "MEDIO", 0}, {"M2", "MEDIO", 0}, {"M3", "MEDIO", 0},
		{"F", "", 0},
	}
	got := directory.DefaultDegrees()
	if len(got) != len(want) {
		t.Fatalf("DefaultDegrees() has %d codes, want %d", len(got), len(want))
	}
	for _, d := range want {
		if g, ok := got.Degree(d.Code); g != d || !ok {
			t.Errorf("Degree(%q) = %+v, %t, want %+v, true", d.Code, g, ok, d)
		}
	}
	for _, code := range []string{"", "0", "10", "m1", " 1", "M4"} {
		if g, ok := got.Degree(code); g != (directory.Degree{}) || ok {
			t.Errorf("Degree(%q) = %+v, %t, want none", code, g, ok)
		}
	}
}

// TestNewAccessToken tests that tokens differ and have 16 characters, each of which is equally likely.
func TestNewAccessToken(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	seen, count := map[string]bool{}, map[rune]int{}
	for range 10_000 {
		token := directory.NewAccessToken()
		if len(token) != 16 || seen[token] {
			t.Fatalf("NewAccessToken() = %q, want 16 characters that were not returned before", token)
		}
		seen[token] = true
		for _, c := range token {
			count[c]++
		}
	}
	for _, c := range "0123456789ABCDEFGHJKMNPQRSTVWXYZ" {
		if n := count[c]; n < 4_700 || n > 5_300 {
			t.Errorf("160,000 characters have %d times %q, want some 5,000", n, c)
		}
		delete(count, c)
	}
	if len(count) > 0 {
		t.Errorf("tokens have other characters: %v", count)
	}
}
