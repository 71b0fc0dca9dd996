package calendar_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"pgregory.net/rapid"
)

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestDay(t *testing.T) {
	for _, test := range []struct{ rule, at, want string }{
		{"a day begins at 03:00 UTC", "2026-03-01T03:00:00Z", "2026-03-01"},
		{"the last second of the day before", "2026-03-01T02:59:59Z", "2026-02-28"},
		{"the last nanosecond of the day before", "2026-03-01T02:59:59.999999999Z", "2026-02-28"},
		{"midnight in Brasilia", "2026-03-01T00:00:00-03:00", "2026-03-01"},
		{"the location of the time does not matter", "2026-03-01T11:59:59+09:00", "2026-02-28"},
		{"the location of the time does not matter", "2026-03-01T12:00:00+09:00", "2026-03-01"},
		{"no daylight saving time, which Brasilia had then", "2018-12-01T02:30:00Z", "2018-11-30"},
		{"the zero day", "1970-01-01T03:00:00Z", "1970-01-01"},
		{"days before the zero day", "1970-01-01T02:59:59Z", "1969-12-31"},
		{"days before the zero day", "1969-12-31T03:00:00Z", "1969-12-31"},
		{"days before the zero day", "1969-12-31T02:59:59Z", "1969-12-30"},
		{"a leap day", "2028-02-29T12:00:00Z", "2028-02-29"},
	} {
		if got := calendar.Day(instant(t, test.at)).String(); got != test.want {
			t.Errorf("%s: Day(%s) = %s, want %s", test.rule, test.at, got, test.want)
		}
	}
}

func TestDayIsCutToTheLastOne(t *testing.T) {
	for _, test := range []struct {
		days int64
		want calendar.Date
	}{
		{math.MaxInt32, math.MaxInt32}, {math.MaxInt32 + 1, math.MaxInt32},
		{math.MinInt32, math.MinInt32}, {math.MinInt32 - 1, math.MinInt32},
	} {
		if got := calendar.Day(time.Unix(test.days*86400+3*3600, 0)); got != test.want {
			t.Errorf("Day(%d days after 1970-01-01) = %d, want %d", test.days, got, test.want)
		}
	}
}

// reference is a date that counts day by day, as on a wall calendar.
type reference struct{ year, month, day int }

func (r *reference) next() {
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[r.month-1]
	if r.month == 2 && r.year%4 == 0 && (r.year%100 != 0 || r.year%400 == 0) {
		days = 29
	}
	if r.day++; r.day > days {
		r.month, r.day = r.month+1, 1
	}
	if r.month > 12 {
		r.year, r.month = r.year+1, 1
	}
}

func TestEveryDayOfFourCenturies(t *testing.T) {
	r := reference{1890, 1, 1}
	want := calendar.MustParse("1890-01-01")
	for ; r.year < 2310; r.next() {
		d := calendar.Of(r.year, time.Month(r.month), r.day)
		if d != want {
			t.Fatalf("Of(%v) = %d, want %d", r, d, want)
		}
		if y, m, n := d.Date(); (reference{y, int(m), n}) != r {
			t.Fatalf("Date(%d).Date() = %d, %d, %d, want %v", d, y, m, n, r)
		}
		if back, err := calendar.Parse(d.String()); back != d || err != nil {
			t.Fatalf("Parse(%q) = %d, %v, want %d", d, back, err, d)
		}
		want++
	}
}

func TestOfNormalises(t *testing.T) {
	for _, test := range []struct {
		year  int
		month time.Month
		day   int
		want  string
	}{
		{2026, 1, 32, "2026-02-01"}, {2026, 3, 0, "2026-02-28"}, {2026, 13, 1, "2027-01-01"}, {2026, 2, 30, "2026-03-02"},
	} {
		if got := calendar.Of(test.year, test.month, test.day).String(); got != test.want {
			t.Errorf("Of(%d, %d, %d) = %s, want %s", test.year, test.month, test.day, got, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{"2026-01-01", true}, {"2026-12-31", true}, {"0000-01-01", true}, {"9999-12-31", true},
		{"2026-02-28", true}, {"2026-02-29", false}, {"2026-02-30", false}, {"2028-02-29", true}, {"2028-02-30", false},
		{"2000-02-29", true}, {"1900-02-29", false}, {"2026-04-30", true}, {"2026-04-31", false},
		{"2026-00-01", false}, {"2026-13-01", false}, {"2026-01-00", false}, {"2026-01-32", false},
		{"", false}, {"2026-1-1", false}, {"2026-01-1", false}, {"26-01-01", false}, {"2026-01-011", false}, {" 2026-01-01", false},
		{"2026-01-01 ", false}, {"2026/01/01", false}, {"20260101", false}, {"2026-01-01T00:00:00Z", false}, {"-026-01-01", false},
		{"+026-01-01", false}, {"2026-01-+1", false}, {"2026-0 -01", false}, {"２026-01", false}, {"12026-01-01", false},
		{"202/-01-01", false}, {"202:-01-01", false},
	} {
		d, err := calendar.Parse(test.text)
		if test.ok && (err != nil || d.String() != test.text) {
			t.Errorf("Parse(%q) = %v, %v, want that day", test.text, d, err)
		}
		if !test.ok && (!errors.Is(err, calendar.ErrDate) || d != 0) {
			t.Errorf("Parse(%q) = %v, %v, want ErrDate", test.text, d, err)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error(`MustParse("2026-02-30") returned, want a panic`)
		}
	}()
	calendar.MustParse("2026-02-30")
}

func TestStart(t *testing.T) {
	got := calendar.MustParse("2026-03-01").Start()
	if want := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC); got != want {
		t.Errorf("Start(2026-03-01) = %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := calendar.Date(rapid.Int32Range(math.MinInt32+1, math.MaxInt32).Draw(t, "day"))
		start := d.Start()
		if calendar.Day(start) != d || calendar.Day(start.Add(-1)) != d-1 || calendar.Day(start.Add(24*time.Hour-1)) != d {
			t.Errorf("day %d does not last from %v for 24 hours", d, start)
		}
		if h, m, s := start.In(calendar.Brasilia()).Clock(); h != 0 || m != 0 || s != 0 {
			t.Errorf("day %d starts in Brasilia at %d:%d:%d, want midnight", d, h, m, s)
		}
	})
}

func TestText(t *testing.T) {
	type row struct{ Day calendar.Date }
	b, err := json.Marshal(row{calendar.MustParse("2026-07-21")})
	if want := `{"Day":"2026-07-21"}`; string(b) != want || err != nil {
		t.Errorf("Marshal = %s, %v, want %s", b, err, want)
	}
	var back row
	if err := json.Unmarshal(b, &back); err != nil || back.Day != calendar.MustParse("2026-07-21") {
		t.Errorf("Unmarshal(%s) = %v, %v, want the same day", b, back.Day, err)
	}
	if err := back.Day.UnmarshalText([]byte("2026-02-30")); !errors.Is(err, calendar.ErrDate) || back.Day.String() != "2026-07-21" {
		t.Errorf("UnmarshalText(2026-02-30) = %v and day %v, want ErrDate and the day unchanged", err, back.Day)
	}
}

func TestYearsWithoutText(t *testing.T) {
	first, last := calendar.MustParse("0000-01-01"), calendar.MustParse("9999-12-31")
	for _, test := range []struct {
		day    calendar.Date
		ok     bool
		string string
	}{
		{first, true, "0000-01-01"}, {first - 1, false, "-001-12-31"}, {last, true, "9999-12-31"}, {last + 1, false, "10000-01-01"},
	} {
		b, err := test.day.AppendText([]byte("on "))
		want := "on "
		if test.ok {
			want += test.string
		}
		if string(b) != want || errors.Is(err, calendar.ErrDate) == test.ok {
			t.Errorf("AppendText(%d) = %q, %v, want %q", test.day, b, err, want)
		}
		if got := test.day.String(); got != test.string {
			t.Errorf("String(%d) = %q, want %q", test.day, got, test.string)
		}
	}
}

func TestAllocations(t *testing.T) {
	d, at, room := calendar.MustParse("2026-07-21"), time.Now(), make([]byte, 0, 16)
	var text string
	for _, test := range []struct {
		name string
		f    func()
		want float64
	}{
		{"Day", func() { d = calendar.Day(at) }, 0},
		{"AppendText", func() { room, _ = d.AppendText(room[:0]) }, 0},
		{"UnmarshalText", func() { _ = d.UnmarshalText(room) }, 0},
		{"Parse", func() { d, _ = calendar.Parse("2026-07-21") }, 0},
		{"String", func() { text = d.String() }, 1},
	} {
		if got := testing.AllocsPerRun(100, test.f); got > test.want {
			t.Errorf("%s allocates %v times, want %v", test.name, got, test.want)
		}
	}
	_ = text
}

// FuzzParse checks that Parse accepts exactly what the time package accepts in this form, and that the date has the
// same text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"2026-02-28", "2026-02-29", "2028-02-29", "0000-02-29", "2026-2-28", "", "2026-02-28T", "9999-12-31"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, timeErr := time.Parse("2006-01-02", s)
		d, err := calendar.Parse(s)
		if (err == nil) != (timeErr == nil && len(s) == 10) {
			t.Fatalf("Parse(%q) = %v, %v; the time package says %v", s, d, err, timeErr)
		}
		if err == nil && (d.String() != s || !d.Start().Equal(at.Add(3*time.Hour))) {
			t.Errorf("Parse(%q) = %v, which starts at %v", s, d, d.Start())
		}
		var u calendar.Date
		if uerr := u.UnmarshalText([]byte(s)); (uerr == nil) != (err == nil) || u != d {
			t.Errorf("UnmarshalText(%q) = %v, %v; Parse says %v, %v", s, u, uerr, d, err)
		}
	})
}

func TestAt(t *testing.T) {
	if got, want := calendar.MustParse("2026-07-21").At(86399), instant(t, "2026-07-21T23:59:59-03:00"); !got.Equal(want) {
		t.Errorf("At(86399) = %v, want %v", got, want)
	}
}
