package libraries_test

import (
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestReaderFields tests that instants are truncated to microseconds, and that active readers with and without a
// deletedAt are equal.
func TestReaderFields(t *testing.T) {
	at := time.Date(2026, 8, 1, 0, 0, 0, 1999, time.FixedZone("", -3*3600))
	r := libraries.Reader{ID: 1, Status: libraries.ReaderActive, Updated: at, Confirmed: at}
	s := row.Of(&r)
	if err := s.Fill(row.NoOp{}).Over(&r); err != nil {
		t.Error(err)
	}
	if want := time.Date(2026, 8, 1, 3, 0, 0, 1000, time.UTC); r.Updated != want || r.Confirmed != want || !r.LastLogin.IsZero() {
		t.Errorf("instants = %v, %v, %v, want %v and no last login", r.Updated, r.Confirmed, r.LastLogin, want)
	}
	with := r
	with.DeletedAt = calendar.MustParse("2026-08-01")
	if !s.Equal(&r, &with) {
		t.Error("Equal = false for active readers with and without deletedAt, want true")
	}
	r.Status, with.Status = libraries.ReaderDeactivated, libraries.ReaderDeactivated
	if s.Equal(&r, &with) {
		t.Error("Equal = true for deactivated readers with different deletedAt, want false")
	}
}
