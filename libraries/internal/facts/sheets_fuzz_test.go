package facts_test

import (
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/packed"
)

// FuzzSheets visits stored sheets of titles and of logins row by row, as reports do: the rows ascend, and a sheet that a day's
// reader refuses is no whole one here either.
func FuzzSheets(f *testing.F) {
	forms := formsOf(f, smallDay()...)
	f.Add(forms.Titles, forms.Logins)
	f.Fuzz(func(t *testing.T, titles, logins []byte) {
		last, rows := int64(-1), 0
		err := facts.VisitTitles(titles, func(d facts.TitleDay) {
			if rows++; d.Book <= last {
				t.Errorf("%x: title %d after %d", titles, d.Book, last)
			}
			last = d.Book
		})
		if err != nil && !errors.Is(err, packed.ErrCorrupt) || rows > len(titles) {
			t.Errorf("%x: %d titles, %v", titles, rows, err)
		}
		days, err := facts.ParseLogins(logins)
		if err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("%x: %v", logins, err)
			}
			return
		}
		last, rows = -1, 0
		for d := range days {
			p := d.Presence
			if rows++; d.Reader <= last || p.Events < 1 || p.First > p.Last || p.First < 0 || p.Last >= 24*60*60 {
				t.Errorf("%x: reader %d after %d has %+v", logins, d.Reader, last, p)
			}
			last = d.Reader
		}
		if rows > len(logins) {
			t.Errorf("%x: %d rows", logins, rows)
		}
	})
}
