package row_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/packed"
)

// FuzzRead checks that Read refuses bytes, or that their record stays the same when it is appended and read again.
func FuzzRead(f *testing.F) {
	s := row.Of(&thing{})
	for _, v := range []thing{{}, {id: -1, name: "ação", note: ptr(""), live: true, colour: 2, at: full, parts: []int64{3, -1}, code: []byte("x")}} {
		f.Add(s.Append(nil, &v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, again thing
		d := packed.Bare(data)
		if s.Read(&d, &got) != nil || d.End() != nil {
			return
		}
		b := s.Append(nil, &got)
		d = packed.Bare(b)
		if err := s.Read(&d, &again); err != nil || d.End() != nil {
			t.Fatalf("Append(%+v) = %x, which Read refuses: %v, %v", got, b, err, d.End())
		}
		if !s.Equal(&got, &again) || !reflect.DeepEqual(got.parts, again.parts) {
			t.Errorf("Read(Append(%+v)) = %+v, want the same record", got, again)
		}
	})
}

// FuzzParseInts checks that a parsed list stays the same when it is formatted and parsed again.
func FuzzParseInts(f *testing.F) {
	for _, s := range []string{"", "3;17;-20", "9223372036854775807", "1;;2", "+1", "01", " 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, ok := row.ParseInts(text)
		if !ok {
			return
		}
		if again, ok := row.ParseInts(row.FormatInts(list)); !ok || !slices.Equal(again, list) {
			t.Errorf("ParseInts(%q) = %v, formatted and parsed again = %v, %t, want the same list", text, list, again, ok)
		}
	})
}
