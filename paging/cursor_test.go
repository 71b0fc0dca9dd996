package paging_test

import (
	"encoding/base64"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging"
	"pgregory.net/rapid"
)

var sealer = paging.Sealer{Key: []byte("0123456789abcdef0123456789abcdef")}

const entities = "partner 7, entities, type=school"

func TestCursorRoundTrip(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z0-9_-]{32}$`)
	position := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}))
	rapid.Check(t, func(t *rapid.T) {
		list, want := rapid.String().Draw(t, "list"), position.Draw(t, "position")
		cursor := sealer.Seal(list, want)
		if !form.MatchString(cursor) {
			t.Errorf("Seal(%q, %d) = %q, want 32 characters of A-Za-z0-9_-", list, want, cursor)
		}
		if again := sealer.Seal(list, want); again != cursor {
			t.Errorf("Seal(%q, %d) = %q, then %q, want the same cursor", list, want, cursor, again)
		}
		if got, err := sealer.Open(list, cursor); got != want || err != nil {
			t.Errorf("Open(%q, Seal(%d)) = %d, %v, want the sealed position", list, want, got, err)
		}
	})
}

// TestCursorForm tests the form that clients store: 8 bytes of position, and 16 of an HMAC-SHA256 computed elsewhere.
func TestCursorForm(t *testing.T) {
	const want = "AAAAAAAAACo2X2-mUCpJgx07NiqCZTx8"
	if got := sealer.Seal(entities, 42); got != want {
		t.Errorf("Seal(%q, 42) = %q, want %q", entities, got, want)
	}
}

func TestCursorErrors(t *testing.T) {
	cursor := sealer.Seal(entities, 42)
	for _, test := range []struct{ rule, list, cursor string }{
		{"empty", entities, ""},
		{"another list", "partner 8, entities, type=school", cursor},
		{"no list", "", cursor},
		{"a list with the same prefix", entities + "s", cursor},
		{"truncated", entities, cursor[:31]},
		{"one character more", entities, cursor + "A"},
		{"padded", entities, cursor + "="},
		{"a line end at the end", entities, cursor + "\n"},
		{"a line end in place of a character", entities, cursor[:31] + "\n"},
		{"line ends in place of a group", entities, cursor[:28] + "\r\n\r\n"},
		{"the other alphabet", entities, strings.Repeat("+", 32)},
		{"not base64", entities, strings.Repeat("!", 32)},
		{"only the position", entities, base64.RawURLEncoding.EncodeToString([]byte{0, 0, 0, 0, 0, 0, 0, 42})},
		{"a made-up cursor", entities, strings.Repeat("A", 32)},
		{"the cursor of another key", entities, paging.Sealer{Key: []byte("another")}.Seal(entities, 42)},
		{"the cursor of no key", entities, paging.Sealer{}.Seal(entities, 42)},
	} {
		if got, err := sealer.Open(test.list, test.cursor); !errors.Is(err, paging.ErrCursor) || got != 0 {
			t.Errorf("%s: Open(%q, %q) = %d, %v, want ErrCursor", test.rule, test.list, test.cursor, got, err)
		}
	}
}

// TestEveryCharacterCounts tests that no other text has the same meaning, not even if only its last bits differ.
func TestEveryCharacterCounts(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=\n "
	cursor := sealer.Seal(entities, 1<<40+3)
	for i := range cursor {
		for _, c := range []byte(alphabet) {
			altered := cursor[:i] + string(c) + cursor[i+1:]
			_, err := sealer.Open(entities, altered)
			if altered == cursor && err != nil || altered != cursor && !errors.Is(err, paging.ErrCursor) {
				t.Errorf("Open with %q at %d = %v, want ErrCursor unless the cursor is unchanged", c, i, err)
			}
		}
	}
}

// FuzzOpen checks that Open accepts only what Seal returns.
func FuzzOpen(f *testing.F) {
	f.Add(entities, sealer.Seal(entities, 42))
	f.Add("", sealer.Seal("", -1))
	f.Add(entities, strings.Repeat("A", 32))
	f.Add(entities, "")
	f.Fuzz(func(t *testing.T, list, cursor string) {
		position, err := sealer.Open(list, cursor)
		if err != nil {
			if !errors.Is(err, paging.ErrCursor) || position != 0 {
				t.Errorf("Open(%q, %q) = %d, %v, want ErrCursor", list, cursor, position, err)
			}
			return
		}
		if again := sealer.Seal(list, position); again != cursor {
			t.Errorf("Open(%q, %q) = %d, which Seal returns as %q", list, cursor, position, again)
		}
	})
}

// TestCursorOfLineEnds tests line ends, which a decoder skips: a text of them decodes to no bytes.
func TestCursorOfLineEnds(t *testing.T) {
	for _, text := range []string{strings.Repeat("\n", 32), strings.Repeat("\r", 32), strings.Repeat("A", 31) + "\n"} {
		if at, err := (paging.Sealer{}).Open("list", text); !errors.Is(err, paging.ErrCursor) {
			t.Errorf("Open(%q) = %d, %v, want ErrCursor", text, at, err)
		}
	}
}
