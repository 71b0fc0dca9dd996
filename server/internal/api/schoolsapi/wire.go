package schoolsapi

import (
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// The rows of the lists, member by member in the order of the specification's tables.
var (
	userRows       = wire.Table[report.User]{Schema: "User", Write: writeUser, Key: writeUserKey}
	engagementRows = wire.Table[report.Engagement]{Schema: "Engagement", Write: WriteEngagement, Key: writeEngagementKey}
	readingRows    = wire.Table[report.Reading]{Schema: "Reading", Write: writeReading, Key: writeReadingKey, Sample: report.Reading{Book: new(schools.Book)}}
)

var (
	profiles = web.Named(schools.Student, schools.Teacher)
	profile  = wire.Enum(web.Names(profiles)...)
	stage    = wire.Enum("INFANTIL", "FUNDAMENTAL 1", "FUNDAMENTAL 2", "MEDIO")
)

func writeUserKey(w *wire.Writer, u *report.User) {
	w.Int("userId", int64(u.ID), "Identifies the user in all three routes.")
}

func writeUser(w *wire.Writer, u *report.User) {
	writeUserKey(w, u)
	w.TextOrNull("name", u.Name, "")
	w.TextOrNull("email", u.Email, "")
	w.TextOf("profile", u.Profile.String(), profile, "")
	wire.Maybe(w, "school", "Unit", given(&u.School), writeUnit, "Present school.")
	wire.Maybe(w, "class", "Unit", given(&u.Class), writeUnit, "Present class; null if the user is in none, such as most teachers.")
	w.IntIf("grade", int64(u.Grade), u.Grade != 0, "School year; null if the class has none.", 1, 9)
	w.TextOfOrNull("stage", u.Stage, stage, "")
	w.Bool("active", u.Active, "Whether the account is active.")
}

// given returns a unit, or nil if it is null.
func given(u *report.Unit) *report.Unit {
	if u.ID == 0 {
		return nil
	}
	return u
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
	w.Minutes("readingMinutes", e.Minutes, "Minutes of effective reading, one decimal; 0 for an access without reading.")
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
	w.Percent("percent", r.Percent, "Percent of the book that was read in the period, two decimals; a part that was read twice counts once.")
	w.Minutes("readingMinutes", r.Minutes, "Minutes of effective reading in the period, one decimal.")
	w.Time("firstReadAt", r.First, "Start of the first effective segment in the period.")
	w.Time("lastReadAt", r.Last, "Start of the last effective segment in the period.")
	w.Bool("finished", r.Finished, "Whether percent reaches 50.")
}
