package directory_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/directory"
)

func TestParseRef(t *testing.T) {
	for _, c := range []struct {
		rule, in string
		ok       bool
	}{
		{"one character", "a", true},
		{"any character", "escola 7/á?#%é 語", true},
		{"spaces are characters", " ", true},
		{"three dots", "...", true},
		{"255 characters", strings.Repeat("x", 255), true},
		{"255 characters of several bytes", strings.Repeat("語", 255), true},
		{"256 characters", strings.Repeat("x", 256), false},
		{"256 characters of several bytes", strings.Repeat("語", 256), false},
		{"empty", "", false},
		{"dot", ".", false},
		{"two dots", "..", false},
		{"NUL", "a\x00", false},
		{"line feed", "a\nb", false},
		{"delete", "a\x7f", false},
		{"control beyond ASCII", "a\u0085", false},
		{"not UTF-8", "a\xff", false},
	} {
		got, err := directory.ParseRef(c.in)
		if c.ok && (err != nil || got != directory.Ref(c.in)) {
			t.Errorf("%s: ParseRef(%q) = %q, %v, want it unchanged", c.rule, c.in, got, err)
		}
		if !c.ok && (!errors.Is(err, directory.ErrRef) || got != "") {
			t.Errorf("%s: ParseRef(%q) = %q, %v, want ErrRef", c.rule, c.in, got, err)
		}
	}
}

// FuzzParseRef compares ParseRef with the sentences of P2, one after the other.
func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"", ".", "..", "a", "\x00", "\xff", "á", strings.Repeat("é", 255), strings.Repeat("é", 256)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := len([]rune(s))
		want := utf8.ValidString(s) && 1 <= n && n <= 255 && s != "." && s != ".." && !strings.ContainsFunc(s, unicode.IsControl)
		ref, err := directory.ParseRef(s)
		if (err == nil) != want || err == nil && string(ref) != s {
			t.Errorf("ParseRef(%q) = %q, %v, want ok = %t", s, ref, err, want)
		}
	})
}

func TestCheckText(t *testing.T) {
	for _, c := range []struct {
		rule  string
		texts []string
		want  error
	}{
		{"none", nil, nil},
		{"line feeds can be stored", []string{"a\nb", ""}, nil},
		{"NUL", []string{"a", "b\x00"}, directory.ErrText},
		{"not UTF-8", []string{"\xc3", "b"}, directory.ErrText},
	} {
		if err := directory.CheckText(c.texts...); !errors.Is(err, c.want) {
			t.Errorf("%s: CheckText(%q) = %v, want %v", c.rule, c.texts, err, c.want)
		}
	}
}
