package schools_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// TestHashOfEventID tests that the stored hash of an event is the beginning of the hash of its kind and its text.
func TestHashOfEventID(t *testing.T) {
	for _, text := range []string{"", "x1", "an identifier that is longer than the room that is kept for one, which is more than 64 bytes"} {
		sum := sha256.Sum256([]byte("s" + text))
		if got, want := schools.NewEventID('s', []byte(text)).Hash, binary.LittleEndian.Uint64(sum[:8]); got != want {
			t.Errorf("NewEventID(s, %q) = %x, want %x", text, got, want)
		}
	}
}

// TestNewSegment tests that a segment belongs to the day of its start (S2), and is reading only if it is effective.
func TestNewSegment(t *testing.T) {
	start := calendar.Date(20_000).Start().Add(90*time.Minute + 1500*time.Millisecond)
	s := reading.Segment{Start: start, DurationMS: 60_000, From: 5, To: 9, Speed: reading.WordsPerMinute(200)}
	seven := schools.EventID{Hash: 7}
	want := schools.Event{ID: seven, User: 3, Day: 20_000, Effect: schools.EffectiveReading, At: 5401, MS: 60_000, Book: 11, Extent: reading.Interval{From: 5, To: 9}}
	if got := schools.NewSegment(seven, 3, 11, s); got != want {
		t.Errorf("NewSegment(effective) = %+v, want %+v", got, want)
	}
	s.Speed = reading.WordsPerMinute(801)
	if got, want := schools.NewSegment(seven, 3, 11, s), (schools.Event{ID: seven, User: 3, Day: 20_000, Effect: schools.Presence}); got != want {
		t.Errorf("NewSegment(too fast) = %+v, want %+v", got, want)
	}
}

// TestAccessKinds tests the number and the name of each kind. All but the received kinds make a day of access (S6).
func TestAccessKinds(t *testing.T) {
	names := []string{"login", "session", "reading", "audiobook", "activity", "assessment", "recommendation-received", "activity-received"}
	for i, name := range names {
		kind := schools.AccessKind(i + 1)
		if got, ok := schools.ParseAccessKind(name); got != kind || !ok || kind.String() != name {
			t.Errorf("ParseAccessKind(%s) = %d, %t, and kind %d has the name %v", name, got, ok, kind, kind)
		}
		want := schools.Presence
		if i >= 6 {
			want = schools.Silent
		}
		if e := schools.NewAccess(schools.EventID{Hash: 1}, 2, calendar.Date(9).Start(), kind); e.Effect != want || e.Day != 9 {
			t.Errorf("NewAccess(%v) = %+v, want the effect %d on day 9", kind, e, want)
		}
	}
	for kind, want := range map[schools.AccessKind]string{0: "access kind 0", 9: "access kind 9"} {
		if got := kind.String(); got != want {
			t.Errorf("AccessKind(%d).String() = %q, want %q", uint8(kind), got, want)
		}
		if _, ok := schools.ParseAccessKind(want); ok {
			t.Errorf("ParseAccessKind(%q) = true, want false", want)
		}
	}
}

// TestProfiles tests that readers are students (S1), and that kinds without a profile have 0.
func TestProfiles(t *testing.T) {
	for kind, want := range map[directory.Kind]schools.Profile{directory.Reader: 1, directory.Teacher: 2, directory.Administrator: 0, directory.Internal: 0} {
		if got := schools.ProfileOf(kind); got != want {
			t.Errorf("ProfileOf(%v) = %d, want %d", kind, uint8(got), uint8(want))
		}
	}
	for profile, want := range map[schools.Profile]string{0: "profile 0", 1: "student", 2: "teacher", 3: "profile 3"} {
		if got := profile.String(); got != want {
			t.Errorf("Profile(%d).String() = %q, want %q", uint8(profile), got, want)
		}
	}
	if got := schools.HistoryStart().String(); got != "2026-01-01" {
		t.Errorf("HistoryStart() = %s, want 2026-01-01", got)
	}
}

// TestBooks tests that Books finds its books, and that Bytes includes their texts.
func TestBooks(t *testing.T) {
	books := schools.NewBooks(2)
	books.Add(schools.Book{ID: 1, Title: "title", Author: "author", ISBN: "isbn", Length: 9})
	books.Add(schools.Book{ID: 2})
	if b := books.Book(1); b == nil || b.Title != "title" || b.Length != 9 || books.Book(3) != nil {
		t.Errorf("Book(1) = %+v, Book(3) = %+v, want only the first", b, books.Book(3))
	}
	if got, want := books.Bytes(), 2*120+len("titleauthorisbn"); got != want {
		t.Errorf("Bytes() = %d, want %d", got, want)
	}
}

// TestSeriesCharacters tests that the number of a series follows any ASCII character but a letter, and has no leading 0.
func TestSeriesCharacters(t *testing.T) {
	for c := range 0x100 {
		id := []byte{byte(c), '7'}
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
		e := schools.NewEventID('s', id)
		if got, want := e.Series != 0, !letter && c != '0'; got != want {
			t.Errorf("NewEventID(%q) has a series: %t, want %t", id, got, want)
		}
		if digit := '1' <= c && c <= '9'; digit && e.Number != int64(c-'0')*10+7 || e.Series != 0 && !digit && e.Number != 7 {
			t.Errorf("NewEventID(%q).Number = %d, want the digits at its end", id, e.Number)
		}
	}
}
