package export

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// SchoolsOf says whose data to export.
type SchoolsOf struct {
	Store   *schoolsdb.Store
	Partner directory.PartnerID
	// Network narrows the users to those that a key of the network shows; 0 is all students and teachers of the partner,
	// also those that are attached to no network any more.
	Network directory.EntityID
}

// Schools writes users, books, engagements and readings: the users as the API has them, with their references; all books; the
// days of access; and of each user and book every day, with its minutes and what was read, which the API sums up.
//
// They are of one state, whatever is loaded or written meanwhile.
func Schools(ctx context.Context, of SchoolsOf, dir string, o Options) (Summary, error) {
	s := &schoolsExport{SchoolsOf: of, source: &source{states: of.Store.States(), tenant: state.Tenant(of.Partner), options: o}}
	return s.whole(ctx, dir, s.writeUsers, s.writeBooks, s.writeEngagements, s.writeReadings)
}

// schoolsExport is an export under way.
type schoolsExport struct {
	SchoolsOf
	*source // its state is that which the users were read at
	users   schoolsdb.Set
	ids     []directory.UserID // of the users, ascending
}

// facts are the folded facts that are written.
func (s *schoolsExport) facts() schoolsdb.Facts {
	return schoolsdb.Facts{Blocks: s.Store, Partner: s.Partner, At: s.at.Facts}
}

// writeUsers writes the students and teachers, deleted ones too, for their reading stays (P7), by userId.
func (s *schoolsExport) writeUsers(ctx context.Context) error {
	t := NewTable(s.folder, "users", writeUser)
	// One transaction reads one state of the registers, and says which.
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	return s.Store.DB.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) error { return s.writeUsersOf(ctx, tx, t) })
}

func (s *schoolsExport) writeUsersOf(ctx context.Context, tx bun.Tx, t Table[userRow]) error {
	h, err := authdb.ReadHeld(ctx, tx, auth.Tenant(s.Partner))
	if err != nil {
		return err
	}
	s.reads(state.Versions(h.Versions))
	entities, err := directorydb.Entities(ctx, tx, s.Partner)
	if err != nil {
		return err
	}
	degrees, err := directorydb.Degrees(ctx, tx, s.Partner)
	if err != nil {
		return err
	}
	tree := directory.NewTree(entities)
	scope := tree.Scope(s.Network)
	return directorydb.Latest(tx, s.Partner).AccountRefs(ctx, func(a directory.Account) error {
		if schools.ProfileOf(a.Kind) == 0 || s.Network != 0 && !scope.Below(a.Entity) {
			return nil
		}
		s.users.Add(a.ID)
		s.ids = append(s.ids, a.ID)
		u := userRow{Account: a}
		u.school, _ = tree.Entity(tree.School(a.Entity))
		u.class, _ = tree.Entity(tree.Class(a.Entity))
		u.degree, _ = degrees.Degree(u.class.Degree)
		t.Write(u)
		return nil
	})
}

// userRow is an account with its school and its class; the zero entity is none.
type userRow struct {
	directory.Account
	school, class directory.Entity
	degree        directory.Degree
}

func writeUser(w *wire.Writer, u *userRow) {
	w.Int("userId", int64(u.ID), "")
	w.TextOrNull("name", u.Name, "")
	w.TextOrNull("email", u.Email, "")
	w.Text("profile", schools.ProfileOf(u.Kind).String(), "")
	w.IntIf("school.id", int64(u.school.ID), u.school.ID != 0, "")
	w.TextOrNull("school.name", u.school.Name, "")
	w.IntIf("class.id", int64(u.class.ID), u.class.ID != 0, "")
	w.TextOrNull("class.name", u.class.Name, "")
	w.IntIf("grade", int64(u.degree.Grade), u.degree.Grade != 0, "")
	w.TextOrNull("stage", u.degree.Stage, "")
	w.Bool("active", u.Active && !u.Deleted, "")
	w.TextOrNull("referenceId", string(u.Ref), "")
}

// writeBooks writes all books, by bookId.
func (s *schoolsExport) writeBooks(ctx context.Context) error {
	t := newRecords[schools.Book](s.folder, "books")
	return s.Store.EachBook(ctx, s.Partner, s.at, func(b schools.Book) { t.Write(b) })
}

// minutesDays is the number of days whose minutes are read at once.
const minutesDays = 16

// writeEngagements writes the days of access, by date, then userId.
func (s *schoolsExport) writeEngagements(ctx context.Context) error {
	t := NewTable(s.folder, "engagements", schoolsapi.WriteEngagement)
	all, err := s.facts().Attendance(ctx)
	if err != nil {
		return err
	}
	for from := 0; from < len(all.Days); from += minutesDays {
		if err := s.progress(ctx, t.name, from, len(all.Days)); err != nil {
			return err
		}
		to := min(from+minutesDays, len(all.Days))
		minutes, err := s.facts().Minutes(ctx, calendar.Period{Start: all.Days[from], End: all.Days[to-1]})
		if err != nil {
			return err
		}
		for i := from; i < to; i++ {
			if err := s.writeDay(t, all.Days[i], all.Sets[i], minutes[all.Days[i]]); err != nil {
				return fmt.Errorf("day %s: %w", all.Days[i], err)
			}
		}
	}
	return nil
}

// writeDay writes the engagements of one day.
func (s *schoolsExport) writeDay(t Table[report.Engagement], day calendar.Date, present schoolsdb.Set, minutes schoolsdb.Minutes) error {
	if err := minutes.Check(present.Len()); err != nil {
		return err
	}
	rank := 0
	for id := range present.All() {
		if s.users.Has(id) {
			t.Write(report.Engagement{Date: day, UserID: id, Minutes: minutes.At(rank)})
		}
		rank++
	}
	return nil
}

// recordsAtOnce is about how many records are read at once.
const recordsAtOnce = 4000

// writeReadings writes every day of what each user read of each book, by userId, then bookId, then date.
func (s *schoolsExport) writeReadings(ctx context.Context) error {
	t := NewTable(s.folder, "readings", writeReading)
	ledgers, err := s.facts().Ledgers(ctx)
	if err != nil {
		return err
	}
	var keys []schoolsdb.RecordKey
	written := 0 // users
	for i, id := range s.ids {
		for _, b := range ledgers.Ledger(id).Unpack() {
			keys = append(keys, schoolsdb.RecordKey{User: id, Book: b.Book})
		}
		if len(keys) >= recordsAtOnce || i == len(s.ids)-1 {
			if err := s.progress(ctx, t.name, written, len(s.ids)); err != nil {
				return err
			}
			if err := s.writeRecords(ctx, t, keys); err != nil {
				return err
			}
			keys, written = keys[:0], i+1
		}
	}
	return nil
}

// writeRecords writes the days of the records of keys, which ascend.
func (s *schoolsExport) writeRecords(ctx context.Context, t Table[readingDay], keys []schoolsdb.RecordKey) error {
	found := 0
	err := s.facts().Records(ctx, keys, state.Span{}, func(k schoolsdb.RecordKey, data []byte) error {
		found++
		r, err := schoolsdb.ParseRecord(data)
		if err != nil {
			return fmt.Errorf("record of user %d, book %d: %w", k.User, k.Book, err)
		}
		for _, d := range r.Days {
			t.Write(readingDay{k, d})
		}
		return nil
	})
	if err == nil && found != len(keys) {
		err = fmt.Errorf("%d of %d records are missing: %w", len(keys)-found, len(keys), packed.ErrCorrupt)
	}
	return err
}

// readingDay is a day of what a user read of a book.
type readingDay struct {
	schoolsdb.RecordKey
	reading.Day
}

func writeReading(w *wire.Writer, r *readingDay) {
	w.Int("userId", int64(r.User), "")
	w.Int("bookId", r.Book, "")
	w.Date("date", r.Date, "")
	w.Minutes("readingMinutes", r.Minutes, "")
	w.Int("milliseconds", r.MS, "")
	w.ExactTimeOrNull("firstReadAt", r.Date.At(r.First), "")
	w.ExactTimeOrNull("lastReadAt", r.Date.At(r.Last), "")
	w.Intervals("intervals", r.Coverage, "")
}
