package librariesapi

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// answer is what is written of a report: the parts of meta that the route has (L21), and either rows or other members of
// data.
type answer struct {
	hour   libraries.Hour
	period *calendar.Period
	page   *paging.Page
	total  int64           // of the page
	rows   *web.Rows       // nil where the route has none
	data   func(*web.JSON) // where it has no rows
}

// listed is the answer whose data are a list of typed rows, with what writes the fields of each.
func listed[T any](list libraries.List[T], write func(*web.JSON, *T)) answer {
	return answer{hour: list.Hour, total: list.Total, rows: &web.Rows{
		Count: len(list.Rows), Total: list.Total, Write: func(j *web.JSON, i int) { write(j, &list.Rows[i]) },
	}}
}

// columns returns the columns of rows like the sample, no object of which is nil.
func columns[T any](write func(*web.JSON, *T), sample T) []string {
	return web.Fields(func(j *web.JSON) { write(j, &sample) })
}

// over returns the answer with a period.
func (a answer) over(p calendar.Period) answer {
	a.period = &p
	return a
}

// paged returns the answer with a page.
func (a answer) paged(p paging.Page) answer {
	a.page = &p
	return a
}

// write writes the envelope and the data.
func (a answer) write(j *web.JSON) {
	j.Begin()
	j.Object("meta")
	j.TextOrNull("updatedAt", a.hour.String())
	if a.period != nil {
		j.Object("period")
		j.Date("startDate", a.period.Start)
		j.Date("endDate", a.period.End)
		j.End()
	}
	if a.page != nil {
		j.Object("page")
		j.Int("page", int64(a.page.Number))
		j.Int("pageSize", int64(a.page.Size))
		j.Int("totalRows", a.total)
		j.End()
	}
	j.End()
	j.Object("data")
	if a.rows != nil {
		a.rows.Array(j, "rows")
	} else {
		a.data(j)
	}
	j.End()
	j.End()
}
