package directoryapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// document is what writes the envelope of a record.
type document[T any] func(T) func(*wire.Writer)

// create answers with the record that the store made of a body, which in reads.
func create[In, T any](in func(map[string]directory.Field) In,
	store func(directory.Store, context.Context, directory.PartnerID, In) (T, error), out document[T]) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, req request) error {
		body, err := req.object(r)
		if err != nil {
			return err
		}
		made, err := store(a.Store, r.Context(), req.partner, in(body))
		if err != nil {
			return err
		}
		web.WriteJSON(w, http.StatusCreated, out(made))
		return nil
	}
}

// show answers with the record that the path names.
func show[T any](store func(directory.Store, context.Context, directory.PartnerID, directory.Ref) (T, error), out document[T]) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, req request) error {
		found, err := store(a.Store, r.Context(), req.partner, req.ref)
		if err != nil {
			return err
		}
		a.Answers.WriteJSON(w, r, out(found))
		return nil
	}
}

// update answers with the record that the path names, as the store has changed it by a body.
func update[In, T any](in func(map[string]directory.Field) In,
	store func(directory.Store, context.Context, directory.PartnerID, directory.Ref, In) (T, error), out document[T]) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, req request) error {
		body, err := req.object(r)
		if err != nil {
			return err
		}
		changed, err := store(a.Store, r.Context(), req.partner, req.ref, in(body))
		if err != nil {
			return err
		}
		web.WriteJSON(w, http.StatusOK, out(changed))
		return nil
	}
}

// remove deletes the record that the path names.
func remove(store func(directory.Store, context.Context, directory.PartnerID, directory.Ref) error) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, req request) error {
		if err := store(a.Store, r.Context(), req.partner, req.ref); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// listUnder answers with a page of a list of the entity that the path names. name is the list's, for its cursors.
func listUnder[T any](name string,
	store func(directory.Store, context.Context, directory.PartnerID, directory.Ref, directory.Cursor) (directory.Page[T], error),
	out func(list, directory.Page[T]) func(*wire.Writer)) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, req request) error {
		l, err := a.list(req.partner, name, string(req.ref))
		if err != nil {
			return err
		}
		at, err := l.cursor(parameters(r))
		if err != nil {
			return err
		}
		page, err := store(a.Store, r.Context(), req.partner, req.ref, at)
		if err != nil {
			return err
		}
		a.Answers.WriteJSON(w, r, out(l, page))
		return nil
	}
}

// listEntities lists the entities of one type, which must be named (P8).
func listEntities(a *API, w http.ResponseWriter, r *http.Request, req request) error {
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
