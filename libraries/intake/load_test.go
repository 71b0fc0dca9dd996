package intake_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// refusing is a first load whose writer fails to write loans.
type refusing struct {
	snapshot.Writer
	why error
}

func (r refusing) Write(_ context.Context, changes ...snapshot.Change) error {
	for _, c := range changes {
		if c.Table == intake.Loans.Table {
			return r.why
		}
	}
	return nil
}

// oneLoan returns a sorter with a reader and a loan.
func oneLoan(t *testing.T) *intake.Sorter {
	t.Helper()
	sorter := &intake.Sorter{}
	t.Cleanup(func() { sorter.Close() })
	at := libraries.HistoryStart.Start().UTC().Add(time.Hour)
	noError(t, sorter.AddReader(libraries.Reader{ID: 1, Name: "Ana", Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive, Updated: at}))
	noError(t, sorter.AddLoan(libraries.LoanChange{Now: libraries.Loan{ID: 1, Reader: 1, Book: 7, Borrowed: at, Status: libraries.LoanActive}}))
	return sorter
}

// TestRowsThatCannotBeWritten tests that a load fails if its rows cannot be written.
func TestRowsThatCannotBeWritten(t *testing.T) {
	first, why := snapshot.Unwritten(nil, 7, 0), errors.New("no room")
	_, _, err := intake.Load(t.Context(), refusing{first, why}, oneLoan(t), intake.LoadOptions{})
	if !errors.Is(err, why) {
		t.Errorf("Load = %v, want the error of Write", err)
	}
}
