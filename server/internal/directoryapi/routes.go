package directoryapi

import (
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/web"
)

func (a *API) createEntity(w http.ResponseWriter, r *http.Request, req request) error {
	body, err := req.object(r)
	if err != nil {
		return err
	}
	e, err := a.Store.CreateEntity(r.Context(), req.partner, newEntity(body))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusCreated, entityDocument(e))
	return nil
}

func (a *API) showEntity(w http.ResponseWriter, r *http.Request, req request) error {
	e, err := a.Store.Entity(r.Context(), req.partner, req.ref)
	if err != nil {
		return err
	}
	a.Answers.WriteJSON(w, r, entityDocument(e))
	return nil
}

func (a *API) updateEntity(w http.ResponseWriter, r *http.Request, req request) error {
	body, err := req.object(r)
	if err != nil {
		return err
	}
	e, err := a.Store.UpdateEntity(r.Context(), req.partner, req.ref, directory.EntityChange(newEntity(body)))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, entityDocument(e))
	return nil
}

func (a *API) deleteEntity(w http.ResponseWriter, r *http.Request, req request) error {
	if err := a.Store.DeleteEntity(r.Context(), req.partner, req.ref); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) createTeacher(w http.ResponseWriter, r *http.Request, req request) error {
	body, err := req.object(r)
	if err != nil {
		return err
	}
	t, err := a.Store.CreateTeacher(r.Context(), req.partner, newTeacher(body))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusCreated, teacherDocument(t))
	return nil
}

func (a *API) showTeacher(w http.ResponseWriter, r *http.Request, req request) error {
	t, err := a.Store.Teacher(r.Context(), req.partner, req.ref)
	if err != nil {
		return err
	}
	a.Answers.WriteJSON(w, r, teacherDocument(t))
	return nil
}

func (a *API) updateTeacher(w http.ResponseWriter, r *http.Request, req request) error {
	body, err := req.object(r)
	if err != nil {
		return err
	}
	t, err := a.Store.UpdateTeacher(r.Context(), req.partner, req.ref, directory.TeacherChange(newTeacher(body)))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, teacherDocument(t))
	return nil
}

func (a *API) deleteTeacher(w http.ResponseWriter, r *http.Request, req request) error {
	if err := a.Store.DeleteTeacher(r.Context(), req.partner, req.ref); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// listEntities lists the entities of one type, which must be named (P8).
func (a *API) listEntities(w http.ResponseWriter, r *http.Request, req request) error {
	query := parameters(r)
	t, err := entityType(query["entity_type"])
	if err != nil {
		return err
	}
	l, err := a.list(req.partner, "entities", t.String())
	if err != nil {
		return err
	}
	at, err := l.cursor(query)
	if err != nil {
		return err
	}
	p, err := a.Store.Entities(r.Context(), req.partner, t, at)
	if err != nil {
		return err
	}
	a.Answers.WriteJSON(w, r, l.entityPage(p))
	return nil
}

func entityType(values []string) (directory.EntityType, error) {
	var faults directory.FieldErrors
	if strings.TrimSpace(strings.Join(values, "")) == "" {
		faults.Add("entity_type", directory.MsgBlank)
		return 0, faults.Err()
	}
	t, ok := directory.ParseEntityType(values[0])
	if !ok || len(values) > 1 {
		faults.Add("entity_type", directory.MsgInvalid)
		return 0, faults.Err()
	}
	return t, nil
}

func (a *API) listSubtree(w http.ResponseWriter, r *http.Request, req request) error {
	l, at, err := a.under(r, req, "subtree")
	if err != nil {
		return err
	}
	p, err := a.Store.Subtree(r.Context(), req.partner, req.ref, at)
	if err != nil {
		return err
	}
	a.Answers.WriteJSON(w, r, l.entityPage(p))
	return nil
}

func (a *API) listReaders(w http.ResponseWriter, r *http.Request, req request) error {
	l, at, err := a.under(r, req, "readers")
	if err != nil {
		return err
	}
	p, err := a.Store.Readers(r.Context(), req.partner, req.ref, at)
	if err != nil {
		return err
	}
	a.Answers.WriteJSON(w, r, l.accountPage(p))
	return nil
}

func (a *API) listTeachers(w http.ResponseWriter, r *http.Request, req request) error {
	l, at, err := a.under(r, req, "teachers")
	if err != nil {
		return err
	}
	p, err := a.Store.Teachers(r.Context(), req.partner, req.ref, at)
	if err != nil {
		return err
	}
	a.Answers.WriteJSON(w, r, l.accountPage(p))
	return nil
}

// under returns the list of an entity that a route gives, and the position in it that is asked for.
func (a *API) under(r *http.Request, req request, route string) (list, directory.Cursor, error) {
	l, err := a.list(req.partner, route, string(req.ref))
	if err != nil {
		return list{}, directory.Cursor{}, err
	}
	at, err := l.cursor(parameters(r))
	return l, at, err
}
