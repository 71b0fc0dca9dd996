package main

import (
	"context"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

// recordLoad notes for lectern status that a load has ended. The load stands whether it can be noted or not, so that a
// fault is told and is no error; nor does a signal that comes now undo anything.
func (s *session) recordLoad(db *database.DB, t auth.Tenant, api auth.API, seconds float64, rows int) {
	err := s.keys(db).RecordLoad(context.WithoutCancel(s.ctx), t, authdb.Load{
		API: api, Ended: s.now(), Took: time.Duration(seconds*1000+0.5) * time.Millisecond, Rows: int64(rows),
	})
	if err != nil {
		report(s.stderr, fmt.Errorf("the feed is loaded, but lectern status will not show it: %w", err))
	}
}

// schoolsRows returns the number of rows that a load has read.
func schoolsRows(t *schoolsload.Totals) int {
	return t.Entities.Rows + t.Accounts.Rows + t.Books.Rows + t.Evaluations.Rows + t.Segments.Rows + t.Accesses.Rows
}

// librariesRows returns the number of rows that a load has read.
func librariesRows(t *librariesload.Totals) (n int) {
	for _, c := range []libraries.Counts{
		t.Libraries, t.AgeGroups, t.Publishers, t.Categories, t.Subjects, t.Books, t.Lines, t.Readers, t.Loans, t.Reservations, t.Channels,
	} {
		n += c.Rows
	}
	for _, c := range []libraries.EventCounts{t.Renewals, t.Sessions, t.Previews, t.Activity, t.Suggestions} {
		n += c.Rows
	}
	return n
}
