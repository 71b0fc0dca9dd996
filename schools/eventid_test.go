package schools_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/schools"
)

// TestNumberedIdentifiers tests which identifiers end in a number: one without leading zeros that does not follow a letter.
func TestNumberedIdentifiers(t *testing.T) {
	for id, want := range map[string]int64{
		"0": 0, "7": 7, "4711": 4711, "9223372036854775807": math.MaxInt64, "s-ana-17": 17, "-5": 5, "1.50": 50, "é/8": 8,
		strings.Repeat("x", 31) + "-1": 1,
		// -1: no number
		"": -1, "s": -1, "s1": -1, "x-": -1, "é8": -1, "007": -1, "s-007": -1, "00": -1, "s-ana-17 ": -1, "1e5": -1,
		"9223372036854775808": -1, "99999999999999999999999": -1, strings.Repeat("x", 32) + "-1": -1,
		"550e8400-e29b-41d4-a716-446655440a17": -1, "550e8400-e29b-41d4-a716-446655440017": 446655440017,
	} {
		e := schools.NewEventID('s', []byte(id))
		if e.Series == 0 != (want < 0) || e.Number != max(want, 0) {
			t.Errorf("NewEventID(%q) = %+v, want the number %d", id, e, want)
		}
	}
}

// TestStoredSums tests that stored id checksums do not change: they are of the resource and the whole text, or of its series.
func TestStoredSums(t *testing.T) {
	sum := func(text string) uint64 {
		hash := sha256.Sum256([]byte(text))
		return binary.LittleEndian.Uint64(hash[:])
	}
	long := strings.Repeat("x", 31) + "-" // the longest text before a number
	for id, series := range map[string]string{"s1": "", long + "x-1": "", "4711": "s", "s-ana-17": "ss-ana-", "-0": "s-", long + "9223372036854775807": "s" + long} {
		want := schools.EventID{Hash: sum("s" + id)}
		if series != "" {
			want = schools.EventID{Series: sum(series)}
			want.Number, _ = strconv.ParseInt(id[len(series)-1:], 10, 64)
		}
		if got := schools.NewEventID('s', []byte(id)); got != want {
			t.Errorf("NewEventID(%q) = %+v, want %+v", id, got, want)
		}
	}
}

var someText = rapid.OneOf(
	rapid.Map(rapid.Int64Min(0), func(n int64) string { return strconv.FormatInt(n, 10) }),
	rapid.Map(rapid.IntRange(0, 30), func(n int) string { return fmt.Sprintf("s-%d-%d", n%3, n) }),
	rapid.StringMatching(`[-a0-9 ]{0,5}`),
	rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}`),
)

// TestIdentifiersDiffer tests that two event ids are equal if and only if their texts and kinds are.
func TestIdentifiersDiffer(t *testing.T) {
	canonical := regexp.MustCompile(`^(|.*[^0-9a-zA-Z])(0|[1-9][0-9]*)$`)
	rapid.Check(t, func(t *rapid.T) {
		x, y := someText.Draw(t, "x"), someText.Draw(t, "y")
		kind := rapid.SampledFrom([]byte{'s', 'a'}).Draw(t, "kind of y")
		a, b := schools.NewEventID('s', []byte(x)), schools.NewEventID(kind, []byte(y))
		same := x == y && kind == 's'
		if (a == b) != same || (a.Compare(b) == 0) != same || a.Compare(b) != -b.Compare(a) {
			t.Fatalf("ids of %q = %+v and of %c%q = %+v: Compare = %d, %d", x, a, kind, y, b, a.Compare(b), b.Compare(a))
		}
		if a.Series == 0 && b.Series != 0 && a.Compare(b) != -1 {
			t.Fatalf("%q, which has no number, is sorted after %q, want before", x, y)
		}
		if (a.Series != 0) != canonical.MatchString(x) {
			t.Fatalf("NewEventID(%q) = %+v, want a series only if the text ends in a number", x, a)
		}
	})
}
