package feed_test

import (
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

// TestPlain tests which lines are read without the decoder, and which are left to it.
func TestPlain(t *testing.T) {
	fields := row.Of(&mixed{})
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
		"{\"a\":\"\xff\"}":                    false, // not UTF-8
		"{\"a\":\"\xed\xa0\x80\"}":            false, // half of a surrogate pair
		"{\"a\":\"seven of eight, and the next\x1f\"}":         false,
		"{\"a\":\"\x7f, which JSON does not call a control\"}": true,
	} {
		plain, same, wrong := feed.ReadLine(fields, nil, []byte(line))
		if plain != want {
			t.Errorf("ReadLine(%q): plain = %t, want %t", line, plain, want)
		}
		if plain && !same {
			t.Errorf("ReadLine(%q) differs from the decoder, which returns %v", line, wrong)
		}
	}
}

// FuzzPlain tests that a line that is read without the decoder has the same cells as with it. The values and the errors
// are then the same too.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		`{"a":"x","b":null,"n":12,"ok":true}`, `{"n": -0.5 , "b":"é"}`, `{"a":"x","a":"y"}`, `{"n":1e5}`, `{"a":"\u00e9"}`, `{"n":[1,2]}`,
		"{\"a\":\"\xff\"}", `{"x":{"a":"b"},"a":"c"}`, `{"a":"}`, `{"a":true}}`, "{\"a\":\"\t\"}", `{"ok":falsee}`,
	} {
		f.Add([]byte(seed))
	}
	fields := row.Of(&mixed{})
	f.Fuzz(func(t *testing.T, line []byte) {
		plain, same, wrong := feed.ReadLine(fields, map[string]bool{"x": true}, line)
		if plain && !same {
			t.Errorf("ReadLine(%q) differs from the decoder, which returns %v", line, wrong)
		}
	})
}
