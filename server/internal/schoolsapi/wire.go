package schoolsapi

import (
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// rowsOf returns a page of typed rows, with what writes the fields of each.
func rowsOf[T any](list schools.List[T], write func(*web.JSON, *T)) web.Rows {
	return web.Rows{Count: len(list.Rows), Total: list.Total, Write: func(j *web.JSON, i int) { write(j, &list.Rows[i]) }}
}

// columns returns the columns of rows like the sample, no object of which is nil.
func columns[T any](write func(*web.JSON, *T), sample T) []string {
	return web.Fields(func(j *web.JSON) { write(j, &sample) })
}

// writeList writes the envelope and the rows of a page.
func writeList(j *web.JSON, r request, list web.Rows) {
	j.Begin()
	j.Object("meta")
	if r.period != nil {
		j.Object("period")
		j.Date("startDate", r.period.Start)
		j.Date("endDate", r.period.End)
		j.End()
	}
	j.Object("page")
	j.Int("page", int64(r.page.Number))
	j.Int("pageSize", int64(r.page.Size))
	j.Int("totalRows", list.Total)
	j.End()
	j.End()
	j.Object("data")
	list.Array(j, "rows")
	j.End()
	j.End()
}

func writeUser(j *web.JSON, u *schools.User) {
	j.Int("userId", int64(u.ID))
	j.TextOrNull("name", u.Name)
	j.TextOrNull("email", u.Email)
	j.Text("profile", u.Profile.String())
	writeUnit(j, "school", u.School)
	writeUnit(j, "class", u.Class)
	j.IntOrNull("grade", int64(u.Grade))
	j.TextOrNull("stage", u.Stage)
	j.Bool("active", u.Active)
}

func writeUnit(j *web.JSON, name string, u *schools.Unit) {
	if u == nil {
		j.Null(name)
		return
	}
	j.Object(name)
	j.Int("id", int64(u.ID))
	j.TextOrNull("name", u.Name)
	j.End()
}

func writeEngagement(j *web.JSON, e *schools.Engagement) {
	j.Date("date", e.Date)
	j.Int("userId", int64(e.UserID))
	j.Minutes("readingMinutes", e.Tenths)
}

func writeReading(j *web.JSON, r *schools.Reading) {
	j.Int("userId", int64(r.UserID))
	j.Object("book")
	j.Int("id", r.Book.ID)
	j.TextOrNull("title", r.Book.Title)
	j.TextOrNull("author", r.Book.Author)
	j.TextOrNull("isbn", r.Book.ISBN)
	j.End()
	j.Percent("percent", r.Percent)
	j.Minutes("readingMinutes", r.Tenths)
	j.Time("firstReadAt", r.First)
	j.Time("lastReadAt", r.Last)
	j.Bool("finished", r.Finished)
}
