package feed_test

import (
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

// TestPlain has lines that are read without the decoder, and lines that are left to it.
func TestPlain(t *testing.T) {
	fields := row.Of(&law{})
	for line, want := range map[string]bool{
		`{"a":"x","b":null,"n":12,"ok":true}`: true,
		`{"ok":false,"n":0,"b":"é😀","a":""}`:  true,
		`{ "a" : "x" , "n": -1.50 }` + " \r":  true,
		`{"n":1,"a":"{\"b\":\"c\"}"}`:         false, // escapes
		`{"a":"x","a":"y"}`:                   false, // twice
		`{"a":null,"a":null}`:                 false,
		`{"a":"x","c":1}`:                     false, // stray
		`{"n":01}`:                            false,
		`{"n":1.}`:                            false,
		`{"n":-}`:                             false,
		`{"n":.5}`:                            false,
		`{"n":1e3}`:                           false,
		`{"n":1 2}`:                           false,
		`{"n":[1]}`:                           false,
		`{"n":nul}`:                           false,
		`{"n":nulll}`:                         false,
		`{"ok":tru}`:                          false,
		`{"a":"x}`:                            false,
		`{"a"}`:                               false,
		`{"a":}`:                              false,
		`{"a":"x",}`:                          false,
		`{,"a":"x"}`:                          false,
		`{"a":"x"}}`:                          false,
		`{"a":"x"} {}`:                        false,
		`{"a":"x"`:                            false,
		`["a"]`:                               false,
		`{}`:                                  false,
		`}`:                                   false,
		``:                                    false,
		"{\"a\":\"x\ty\"}":                    false, // a control character
		"{\"a\":\"\x00\"}":                    false,
		"{\"a\":\"\xff\"}":                    false, // no UTF-8
		"{\"a\":\"\xed\xa0\x80\"}":            false, // half of a surrogate pair
		"{\"a\":\"seven of eight, and the next\x1f\"}":         false,
		"{\"a\":\"\x7f, which JSON does not call a control\"}": true,
	} {
		plain, same, wrong := feed.ReadLine(fields, nil, []byte(line))
		if plain != want {
			t.Errorf("%q is plain: %t, want %t", line, plain, want)
		}
		if plain && !same {
			t.Errorf("%q is not as the decoder reads it, which says %v", line, wrong)
		}
	}
}

// FuzzPlain holds that whatever is read without the decoder is read as by it: the values, and what is wrong with them, are then
// those of the same cells.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		`{"a":"x","b":null,"n":12,"ok":true}`, `{"n": -0.5 , "b":"é"}`, `{"a":"x","a":"y"}`, `{"n":1e5}`, `{"a":"\u00e9"}`, `{"n":[1,2]}`,
		"{\"a\":\"\xff\"}", `{"x":{"a":"b"},"a":"c"}`, `{"a":"}`, `{"a":true}}`, "{\"a\":\"\t\"}", `{"ok":falsee}`,
	} {
		f.Add([]byte(seed))
	}
	fields := row.Of(&law{})
	f.Fuzz(func(t *testing.T, line []byte) {
		plain, same, wrong := feed.ReadLine(fields, map[string]bool{"x": true}, line)
		if plain && !same {
			t.Errorf("%q is not as the decoder reads it, which says %v", line, wrong)
		}
	})
}

// FuzzMoment holds that a time in the canonical form is what it is in all others, whichever was read before it.
func FuzzMoment(f *testing.F) {
	for _, seed := range [][2]string{
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789-03:00"}, {"", "0001-01-01T00:00:00Z"}, {"", "9999-12-31T23:59:59-23:59"},
		{"2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z"}, {"x", "1969-12-31T23:59:59.9999999+00:00"}, {"", "2026-01-02T24:00:00Z"},
		{"", "2026-01-02T03:04:05.Z"}, {"", "2026-01-02T03:04:05.1234567891Z"}, {"", "2026-01-02T03:04:05+3:00"}, {"", "2026-01-02T03:04:05-24:00"},
		{"", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00T03:04:05Z"}, {"", "2026-01-02T03:04:60Z"}, {"", "2026-01-02T03:04:05,5Z"},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if micros, parsed, canonical := feed.Moment(first, second); canonical && micros != parsed {
			t.Errorf("%q after %q is %d, want %d", second, first, micros, parsed)
		}
	})
}

// TestMoment has the times that are canonical, and some that are not.
func TestMoment(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-01-02T03:04:05Z": true, "2026-01-02T23:59:59.5Z": true, "1969-12-31T00:00:00.123456789+23:59": true,
		"2026-01-02T03:04:05-03:00": true, "0002-01-01T00:00:00+01:00": true, "9998-12-31T23:59:59-03:00": true,
		"0001-12-31T23:59:59Z": false, "9999-01-01T00:00:00Z": false, "2026-02-29T00:00:00Z": false, "2026-01-02t03:04:05Z": false,
		"2026-01-02T03:04:05": false, "2026-01-02T03:04:05z": false, "2026-01-02T03:04:05.Z": false, "2026-01-02T03:04:05.1": false,
		"2026-01-02T03:04:05.1234567890Z": false, "2026-01-02T03:04:05-0300": false, "2026-01-02T03:04:05*03:00": false,
		"2026-01-02T03:60:05Z": false, "2026-01-02T3:04:05Z": false, "2026-01-02T03:04:05-24:00": false, "2026-01-02T03:04:05-03:60": false,
	} {
		micros, parsed, canonical := feed.Moment(nil, []byte(text))
		if canonical != want || canonical && micros != parsed {
			t.Errorf("%s is canonical: %t, want %t; %d, want %d", text, canonical, want, micros, parsed)
		}
	}
}
