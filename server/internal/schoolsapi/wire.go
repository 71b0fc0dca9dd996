package schoolsapi

import (
	"context"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// The lists: the rows of each, member by member in the order of the specification's tables, and its report.
var (
	userList = listOf(wire.Table[report.User]{Schema: "User", Write: writeUser, Key: writeUserKey},
		func(ctx context.Context, a report.Access, k *asked) (paging.List[report.User], error) {
			return k.Reports.Users(ctx, a, k.filter, k.page)
		}, Reports.UsersSince)
	engagementList = listOf(wire.Table[report.Engagement]{Schema: "Engagement", Write: WriteEngagement, Key: writeEngagementKey},
		func(ctx context.Context, a report.Access, k *asked) (paging.List[report.Engagement], error) {
			return k.Reports.Engagements(ctx, a, k.period, k.filter, k.page)
		}, Reports.EngagementsSince)
	readingList = listOf(wire.Table[report.Reading]{Schema: "Reading", Write: writeReading, Key: writeReadingKey, Sample: report.Reading{Book: new(schools.Book)}},
		func(ctx context.Context, a report.Access, k *asked) (paging.List[report.Reading], error) {
			return k.Reports.Readings(ctx, a, k.period, k.filter, k.page)
		}, Reports.ReadingsSince)
)

// list is a report that is a list of rows.
type list struct {
	none wire.Rows // no rows, of its table
	rows func(context.Context, *asked, web.States) (wire.Rows, error)
}

// listOf returns the list whose rows ask returns, and since those that have changed.
func listOf[T any](table wire.Table[T], ask func(context.Context, report.Access, *asked) (paging.List[T], error),
	since func(Reports, context.Context, report.Access, report.Round, paging.Page) (paging.List[T], error)) list {
	return list{table.Rows(paging.List[T]{}), func(ctx context.Context, k *asked, s web.States) (wire.Rows, error) {
		if s.Since == nil {
			rows, err := ask(ctx, access(s), k)
			return table.Rows(rows), err
		}
		round, err := k.round(s)
		if err != nil {
			return wire.Rows{}, err
		}
		rows, err := since(k.Reports, ctx, access(s), round, k.page)
		return table.Rows(rows), err
	}}
}

var (
	profiles = web.Named(schools.Student, schools.Teacher)
	profile  = wire.Enum(web.Names(profiles)...)
	stage    = wire.Enum("INFANTIL", "FUNDAMENTAL 1", "FUNDAMENTAL 2", "MEDIO")
)

// write writes the envelope and the rows of a page.
func (k *asked) write(w *wire.Writer, list wire.Rows) {
	meta := "UsersMeta"
	if k.hasPeriod {
		meta = "PeriodMeta"
	}
	w.Object("meta", meta, "", func() {
		if k.hasPeriod {
			web.WritePeriod(w, k.period)
		}
		web.WritePage(w, k.page, list.Total, "")
	})
	w.Object("data", "", "", func() { list.Members(w) })
}

func writeUserKey(w *wire.Writer, u *report.User) {
	w.Int("userId", int64(u.ID), "Identifier: the key that links the three routes.")
}

func writeUser(w *wire.Writer, u *report.User) {
	writeUserKey(w, u)
	w.TextOrNull("name", u.Name, "")
	w.TextOrNull("email", u.Email, "")
	w.TextOf("profile", u.Profile.String(), profile, "")
	wire.Maybe(w, "school", "Unit", u.School, writeUnit, "Present school.")
	wire.Maybe(w, "class", "Unit", u.Class, writeUnit, "Present class; null for those in no class, such as most teachers.")
	w.IntIf("grade", int64(u.Grade), u.Grade != 0, "School year; null where the class has none.", 1, 9)
	w.TextOfOrNull("stage", u.Stage, stage, "")
	w.Bool("active", u.Active, "Whether the account is active.")
}

func writeUnit(w *wire.Writer, u *report.Unit) {
	w.Int("id", int64(u.ID), "")
	w.TextOrNull("name", u.Name, "")
}

func writeEngagementKey(w *wire.Writer, e *report.Engagement) {
	w.Date("date", e.Date, "Day of access, Brasilia time.")
	w.Int("userId", int64(e.UserID), "")
}

// WriteEngagement writes a row of the engagements.
func WriteEngagement(w *wire.Writer, e *report.Engagement) {
	writeEngagementKey(w, e)
	w.Minutes("readingMinutes", e.Minutes, "Minutes of effective reading, one decimal; 0 where the user came without reading.")
}

func writeReadingKey(w *wire.Writer, r *report.Reading) {
	w.Int("userId", int64(r.UserID), "")
	w.Object("book", "", "", func() { w.Int("id", r.Book.ID, "") })
}

func writeReading(w *wire.Writer, r *report.Reading) {
	w.Int("userId", int64(r.UserID), "")
	w.Object("book", "Book", "", func() {
		w.Int("id", r.Book.ID, "")
		w.TextOrNull("title", r.Book.Title, "")
		w.TextOrNull("author", r.Book.Author, "")
		w.TextOrNull("isbn", r.Book.ISBN, "")
	})
	w.Percent("percent", r.Percent, "Share of the book that was read in the period, two decimals; what was read twice counts once.")
	w.Minutes("readingMinutes", r.Minutes, "Minutes of effective reading in the period, one decimal.")
	w.Time("firstReadAt", r.First, "Start of the first effective segment in the period.")
	w.Time("lastReadAt", r.Last, "Start of the last one.")
	w.Bool("finished", r.Finished, "Whether percent reaches 50.")
}
