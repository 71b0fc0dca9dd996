package directoryapi

import (
	"net/http"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// newEntity takes the members of a body that make an entity; the others are ignored (P4).
func newEntity(body map[string]directory.Field) directory.NewEntity {
	return directory.NewEntity{
		Name:              body["name"],
		EntityType:        body["entity_type"],
		Degree:            body["degree"],
		INEP:              body["inep"],
		State:             body["state"],
		City:              body["city"],
		ReferenceID:       body["reference_id"],
		ParentReferenceID: body["parent_reference_id"],
	}
}

// newTeacher takes the members of a body that make a teacher.
func newTeacher(body map[string]directory.Field) directory.NewTeacher {
	return directory.NewTeacher{
		Name:              body["name"],
		Email:             body["email"],
		Phone:             body["phone"],
		ReferenceID:       body["reference_id"],
		EntityReferenceID: body["entity_reference_id"],
	}
}

// entityDocument writes the envelope of a single entity, which tells its parent.
func entityDocument(e directory.EntityRecord) func(*web.JSON) {
	return single(func(j *web.JSON) {
		writeEntity(j, e.Entity)
		j.TextOrNull("parent_reference_id", string(e.ParentRef))
	})
}

// teacherDocument writes the envelope of a single teacher, who alone shows an e-mail.
func teacherDocument(t directory.AccountRecord) func(*web.JSON) {
	return single(func(j *web.JSON) { writeAccount(j, t, true) })
}

// single writes the envelope of one record.
func single(fields func(*web.JSON)) func(*web.JSON) {
	return func(j *web.JSON) {
		j.Begin()
		j.Object("data")
		fields(j)
		j.End()
		j.Null("errors")
		j.Null("pagination")
		j.End()
	}
}

func writeEntity(j *web.JSON, e directory.Entity) {
	j.Text("name", e.Name)
	j.Text("entity_type", e.Type.String())
	j.TextOrNull("degree", e.Degree)
	j.TextOrNull("inep", e.INEP)
	j.TextOrNull("state", e.State)
	j.TextOrNull("city", e.City)
	j.Text("reference_id", string(e.Ref))
}

func writeAccount(j *web.JSON, a directory.AccountRecord, email bool) {
	j.TextOrNull("access_token", a.AccessToken)
	j.TextOrNull("entity_reference_id", string(a.EntityRef))
	j.TextOrNull("name", a.Name)
	if email {
		j.TextOrNull("email", a.Email)
	}
	j.TextOrNull("phone", a.Phone)
	j.Text("reference_id", string(a.Ref))
	j.Bool("active", a.Active)
}

// page is what a list answers with: rows of whatever type, each with its number in the order of creation.
type page struct {
	count               int
	hasBefore, hasAfter bool
	number              func(i int) int64
	write               func(j *web.JSON, i int)
}

func entityPage(p directory.Page[directory.EntityRecord]) page {
	return page{
		len(p.Rows), p.HasBefore, p.HasAfter,
		func(i int) int64 { return int64(p.Rows[i].ID) },
		func(j *web.JSON, i int) { writeEntity(j, p.Rows[i].Entity) },
	}
}

func accountPage(p directory.Page[directory.AccountRecord]) page {
	return page{
		len(p.Rows), p.HasBefore, p.HasAfter,
		func(i int) int64 { return int64(p.Rows[i].ID) },
		func(j *web.JSON, i int) { writeAccount(j, p.Rows[i], false) },
	}
}

// writePage answers with a page of a list and the cursors of its neighbours (P8).
func (a *API) writePage(w http.ResponseWriter, r *http.Request, l list, p page) {
	a.Answers.WriteJSON(w, r, func(j *web.JSON) {
		j.Begin()
		j.Array("entries")
		for i := range p.count {
			j.Begin()
			p.write(j, i)
			j.End()
		}
		j.EndArray()
		j.Object("metadata")
		l.writeCursor(j, "after", p.hasAfter, p, p.count-1)
		l.writeCursor(j, "before", p.hasBefore, p, 0)
		j.Int("limit", directory.Limit)
		j.End()
		j.End()
	})
}

// writeCursor writes the cursor of a row, null where the list ends there or the page is empty.
func (l list) writeCursor(j *web.JSON, name string, more bool, p page, row int) {
	if !more || p.count == 0 {
		j.Null(name)
		return
	}
	j.Text(name, l.sealer.Seal(l.name, p.number(row)))
}
