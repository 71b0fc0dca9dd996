package directory

import "github.com/lectern-dev/lectern/paging/row"

// Fields declares the fields of an entity, as they are stored.
func (e *Entity) Fields(w *row.Walk) {
	row.Int(w, "entityId", &e.ID)
	row.Text(w, "referenceId", &e.Ref)
	row.Enum(w, "entityType", &e.Type, nil)
	row.Text(w, "name", &e.Name)
	row.Text(w, "degree", &e.Degree)
	row.Text(w, "inep", &e.INEP)
	row.Text(w, "state", &e.State)
	row.Text(w, "city", &e.City)
	row.Int(w, "parentId", &e.Parent)
	row.Bool(w, "deleted", &e.Deleted)
}

// Fields declares the fields of an account, as they are stored.
func (a *Account) Fields(w *row.Walk) {
	row.Int(w, "userId", &a.ID)
	row.Text(w, "referenceId", &a.Ref)
	row.Enum(w, "kind", &a.Kind, nil)
	row.Text(w, "name", &a.Name)
	row.Text(w, "email", &a.Email)
	row.Text(w, "phone", &a.Phone)
	row.Text(w, "accessToken", &a.AccessToken)
	row.Int(w, "entityId", &a.Entity)
	row.Bool(w, "active", &a.Active)
	row.Bool(w, "deleted", &a.Deleted)
}

// Fields declares the fields of an evaluation, as they are stored.
func (v *Evaluation) Fields(w *row.Walk) {
	row.Int(w, "evaluationId", &v.ID)
	row.Int(w, "entityId", &v.Entity)
	row.Text(w, "title", &v.Title)
	row.OptionalInstant(w, "appliedAt", &v.AppliedAt)
}
