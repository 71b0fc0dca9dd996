package reading_test

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/reading"
)

var _ encoding.BinaryUnmarshaler = (*reading.Record)(nil)

// unhex decodes hexadecimal with spaces.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBinaryForm tests the encoding that the package's documentation describes, since databases contain it.
func TestBinaryForm(t *testing.T) {
	for _, test := range []struct {
		rule string
		r    reading.Record
		form string
	}{
		{"no day", reading.Record{}, "01 00"},
		{"a day of zeros", reading.Record{Days: []reading.Day{{Read: true}}}, "01 01 00 00 00 00 00 00"},
		{"a day before 1970", reading.Record{Days: []reading.Day{{Date: -1, Read: true}}}, "01 01 01 00 00 00 00 00"},
		{"the last second", reading.Record{Days: []reading.Day{{Read: true, First: 86_399, Last: 86_399}}}, "01 01 00 00 00 ff a2 05 00 00"},
		{"all day", reading.Record{Days: []reading.Day{{Read: true, Last: 86_399}}}, "01 01 00 00 00 00 ff a2 05 00"},
		{"two days", reading.Record{Days: []reading.Day{
			{Date: 100, Read: true, MS: 6_000, Minutes: 1, First: 5, Last: 9, Coverage: reading.Coverage{{0, 10}, {11, 13}}},
			{Date: 103, Read: true, MS: 1, First: 1, Last: 1, Coverage: reading.Coverage{{200, 328}}},
		}}, "01 02" + "c8 01 f0 2e 01 05 04 02 00 0a 01 02" + "03 01 00 01 00 01 c8 01 80 01"},
		{"the first and the last possible day", reading.Record{Days: []reading.Day{{Date: math.MinInt32, Read: true}, {Date: math.MaxInt32, Read: true}}},
			"01 02" + "ff ff ff ff 0f 00 00 00 00 00" + "ff ff ff ff 0f 00 00 00 00 00"},
		{"the largest numbers", reading.Record{Days: []reading.Day{
			{Read: true, MS: math.MaxInt64, Minutes: math.MaxInt64, Coverage: reading.Coverage{{0, 1}, {math.MaxInt64 - 1, math.MaxInt64}}},
		}}, "01 01 00 ff ff ff ff ff ff ff ff 7f ff ff ff ff ff ff ff ff 7f 00 00 02 00 01 fd ff ff ff ff ff ff ff 7f 01"},
	} {
		form := unhex(t, test.form)
		if got := test.r.AppendBinary([]byte("x")); !bytes.Equal(got, append([]byte("x"), form...)) {
			t.Errorf("%s: AppendBinary(%+v) = %x, want %s after an x", test.rule, test.r, got, test.form)
		}
		got := tenDays(true) // UnmarshalBinary uses its slices again
		if err := got.UnmarshalBinary(form); err != nil || len(got.Days) != len(test.r.Days) {
			t.Errorf("%s: UnmarshalBinary(%s) = %+v, %v, want %+v", test.rule, test.form, got, err, test.r)
			continue
		}
		for i, want := range test.r.Days {
			if !reflect.DeepEqual(got.Days[i], want) {
				t.Errorf("%s: UnmarshalBinary(%s) has day %+v, want %+v", test.rule, test.form, got.Days[i], want)
			}
		}
	}
}

func TestCorruptRecords(t *testing.T) {
	for _, test := range []struct{ rule, form string }{
		{"nothing", ""},
		{"an unknown version", "00 00"},
		{"a later version", "02 00"},
		{"no number of days", "01"},
		{"bytes left over", "01 00 00"},
		{"bytes left over after a day", "01 01 00 00 00 00 00 00 00"},
		{"a day is missing", "01 02 00 00 00 00 00 00"},
		{"more days than bytes", "01 ff ff ff ff 07 00 00 00 00 00 00"},
		{"more days than an int holds", "01 ff ff ff ff ff ff ff ff ff 01 00 00 00 00 00 00"},
		{"more intervals than bytes", "01 01 00 00 00 00 00 ff ff ff ff 07 00 01"},
		{"one interval more than bytes", "01 01 00 00 00 00 00 02 00 01 01"},
		{"a day twice", "01 02 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"a day after the last", "01 02 fe ff ff ff 0f 00 00 00 00 00 01 00 00 00 00 00"},
		{"a first day after the last", "01 01 80 80 80 80 10 00 00 00 00 00"},
		{"a first day before the first", "01 01 81 80 80 80 10 00 00 00 00 00"},
		{"a step that overflows", "01 02 00 00 00 00 00 00 ff ff ff ff ff ff ff ff ff 01 00 00 00 00 00"},
		{"milliseconds that overflow", "01 01 00 80 80 80 80 80 80 80 80 80 01 00 00 00 00"},
		{"tenths that overflow", "01 01 00 00 80 80 80 80 80 80 80 80 80 01 00 00 00"},
		{"a second after the day", "01 01 00 00 00 80 a3 05 00 00"},
		{"a last second after the day", "01 01 00 00 00 01 ff a2 05 00"},
		{"seconds that overflow", "01 01 00 00 00 01 ff ff ff ff ff ff ff ff ff 01 00"},
		{"an interval without extent", "01 01 00 00 00 00 00 01 05 00"},
		{"intervals that touch", "01 01 00 00 00 00 00 02 00 01 00 01"},
		{"an interval that ends too far", "01 01 00 00 00 00 00 01 ff ff ff ff ff ff ff ff 7f 01"},
		{"an interval that starts too far", "01 01 00 00 00 00 00 02 00 01 ff ff ff ff ff ff ff ff 7f 01"},
		{"an interval that starts too far, and whose end overflows",
			"01 01 00 00 00 00 00 02 00 80 80 80 80 80 80 80 80 40 ff ff ff ff ff ff ff ff 7f ff ff ff ff ff ff ff ff 7f"},
		{"an extent that overflows", "01 01 00 00 00 00 00 01 00 80 80 80 80 80 80 80 80 80 01"},
		{"a number longer than needed", "01 80 00"},
		{"a number longer than needed", "01 01 00 81 00 00 00 00 00"},
		{"a number of 65 bits", "01 01 00 ff ff ff ff ff ff ff ff ff 02 00 00 00 00"},
		{"a number without end", "01 01 00 80 80 80 80 80 80"},
	} {
		r := tenDays(true)
		if err := r.UnmarshalBinary(unhex(t, test.form)); !errors.Is(err, reading.ErrCorrupt) || len(r.Days) != 0 {
			t.Errorf("%s: UnmarshalBinary(%s) = %d days, %v, want ErrCorrupt and none", test.rule, test.form, len(r.Days), err)
		}
	}
}

func TestCutRecords(t *testing.T) {
	data := tenDays(true).AppendBinary(nil)
	var r reading.Record
	for n := range data {
		if err := r.UnmarshalBinary(data[:n]); !errors.Is(err, reading.ErrCorrupt) {
			t.Errorf("UnmarshalBinary of the first %d bytes of %d = %v, want ErrCorrupt", n, len(data), err)
		}
	}
}

func TestHugeCountsAllocateLittle(t *testing.T) {
	for _, claim := range []string{"01 ff ff ff ff 07", "01 01 00 00 00 00 00 ff ff ff ff 07"} {
		data := append(unhex(t, claim), make([]byte, 100)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var r reading.Record
		_ = r.UnmarshalBinary(data)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("UnmarshalBinary(%s and 100 bytes) allocates %d bytes, want a few", claim, got)
		}
	}
}

// TestRecordRoundTrip tests that a decoded record equals the original, also after both are changed, and in a record
// that was used before.
func TestRecordRoundTrip(t *testing.T) {
	used := tenDays(false)
	for rule, r := range map[string]*reading.Record{"a new record": {}, "a used record": &used} {
		want := tenDays(true)
		if err := r.UnmarshalBinary(want.AppendBinary(nil)); err != nil || !reflect.DeepEqual(r.Days, want.Days) {
			t.Errorf("%s: UnmarshalBinary = %+v, %v, want %+v", rule, r, err, want)
		}
		for _, of := range []*reading.Record{r, &want} {
			d := reading.Day{Date: of.Days[0].Date}
			d.Add(40_000, 1, reading.Interval{From: 900, To: 950})
			d.Add(90, 1, reading.Interval{From: 700, To: 850})
			of.Merge(d)
		}
		if !reflect.DeepEqual(r.Days, want.Days) {
			t.Errorf("%s: after Merge of two segments = %+v, want %+v", rule, r.Days, want.Days)
		}
	}
}

// FuzzRecord checks that a decoded record is encoded to the same bytes, so that each record has one encoding.
func FuzzRecord(f *testing.F) {
	r, _, _ := example()
	for _, seed := range [][]byte{{1, 0}, r.AppendBinary(nil), tenDays(true).AppendBinary(nil), {1, 1, 0, 0, 0, 0, 0, 0}, {2, 0}, nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r reading.Record
		if err := r.UnmarshalBinary(data); err != nil {
			if !errors.Is(err, reading.ErrCorrupt) || len(r.Days) != 0 {
				t.Errorf("UnmarshalBinary(%x) = %v, %v, want ErrCorrupt", data, r, err)
			}
			return
		}
		if got := r.AppendBinary(nil); !bytes.Equal(got, data) {
			t.Errorf("AppendBinary of the record decoded from %x = %x, want the same bytes", data, got)
		}
		rebuilt := reading.Record{}
		for _, d := range r.Days {
			rebuilt.Merge(d)
		}
		if got := rebuilt.AppendBinary(nil); !bytes.Equal(got, data) {
			t.Errorf("AppendBinary of the merged days of %x = %x, want the same bytes", data, got)
		}
	})
}
