package directory_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

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

func TestNewAccessToken(t *testing.T) {
	var all [256]byte
	for i := range all {
		all[i] = byte(i)
	}
	r := bytes.NewReader(all[:])
	count := map[rune]int{}
	for range 256 / 16 {
		token, err := directory.NewAccessToken(r)
		if err != nil || len(token) != 16 {
			t.Fatalf("NewAccessToken() = %q, %v, want 16 characters", token, err)
		}
		for _, c := range token {
			count[c]++
		}
	}
	for _, c := range "0123456789ABCDEFGHJKMNPQRSTVWXYZ" {
		if count[c] != 8 {
			t.Errorf("tokens of all 256 bytes have %d times %q, want 8 of each character", count[c], c)
		}
	}
	if _, err := directory.NewAccessToken(strings.NewReader("fifteen bytes..")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewAccessToken(15 bytes) = %v, want %v", err, io.ErrUnexpectedEOF)
	}
	broken := errors.New("broken")
	if _, err := directory.NewAccessToken(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("NewAccessToken(broken) = %v, want %v", err, broken)
	}
	a, err := directory.NewAccessToken(nil)
	b, _ := directory.NewAccessToken(nil)
	if err != nil || a == b {
		t.Errorf("NewAccessToken(nil) twice = %q, %q, %v, want two different tokens", a, b, err)
	}
}
