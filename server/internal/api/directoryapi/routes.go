package directoryapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// document is what writes the envelope of a record.
type document[T any] func(T) func(*wire.Writer)

// input is what the members of a body are read into.
type input[In any] interface {
	*In
	Members() map[string]*directory.Field
}

// write answers with the record that the store made of a body.
func write[In, T any, P input[In]](status int, store func(*call, In) (T, error), out document[T]) handler {
	return func(c *call) error {
		var in In
		if err := c.members(P(&in).Members()); err != nil {
			return err
		}
		written, err := store(c, in)
		if err != nil {
			return err
		}
		web.WriteJSON(c.w, status, out(written))
		return nil
	}
}

// create makes a record.
func create[In, T any, P input[In]](store func(directory.Store, context.Context, directory.PartnerID, In) (T, error), out document[T]) handler {
	return write[In, T, P](http.StatusCreated, func(c *call, in In) (T, error) { return store(c.Store, c.r.Context(), c.partner, in) }, out)
}

// update changes the record that the path names.
func update[In, T any, P input[In]](store func(directory.Store, context.Context, directory.PartnerID, directory.Ref, In) (T, error), out document[T]) handler {
	return write[In, T, P](http.StatusOK, func(c *call, in In) (T, error) { return store(c.Store, c.r.Context(), c.partner, c.ref, in) }, out)
}

// show answers with the record that the path names.
func show[T any](store func(directory.Store, context.Context, directory.PartnerID, directory.Ref) (T, error), out document[T]) handler {
	return func(c *call) error {
		found, err := store(c.Store, c.r.Context(), c.partner, c.ref)
		if err != nil {
			return err
		}
		c.Answers.WriteJSON(c.w, c.r, out(found))
		return nil
	}
}

// remove deletes the record that the path names.
func remove(store func(directory.Store, context.Context, directory.PartnerID, directory.Ref) error) handler {
	return func(c *call) error {
		if err := store(c.Store, c.r.Context(), c.partner, c.ref); err != nil {
			return err
		}
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// listUnder answers with a page of a list of the entity that the path names. route is the list's, for its cursors.
func listUnder[T any](route string,
	store func(directory.Store, context.Context, directory.PartnerID, directory.Ref, directory.Cursor) (directory.Page[T], error),
	out func(list, directory.Page[T]) func(*wire.Writer)) handler {
	return func(c *call) error {
		return page(c, list{route: route, filter: string(c.ref)}, out, func(at directory.Cursor) (directory.Page[T], error) {
			return store(c.Store, c.r.Context(), c.partner, c.ref, at)
		})
	}
}

// listEntities lists the entities of one type, which must be named (P8).
func listEntities(c *call) error {
	query := parameters(c.r)
	t, err := entityType(query["entity_type"])
	if err != nil {
		return err
	}
	return page(c, list{route: "entities", filter: t.String()}, list.entityPage, func(at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
		return c.Store.Entities(c.r.Context(), c.partner, t, at)
	})
}

// page answers with the page of a list that a request asks for.
func page[T any](c *call, l list, out func(list, directory.Page[T]) func(*wire.Writer), read func(directory.Cursor) (directory.Page[T], error)) (err error) {
	l.partner = c.partner
	if l.sealer, err = c.Cursors(); err != nil {
		return err
	}
	at, err := l.cursor(parameters(c.r))
	if err != nil {
		return err
	}
	p, err := read(at)
	if err != nil {
		return err
	}
	c.Answers.WriteJSON(c.w, c.r, out(l, p))
	return nil
}

func entityType(values []string) (directory.EntityType, error) {
	t, ok := directory.ParseEntityType(strings.Join(values, ""))
	switch {
	case strings.TrimSpace(strings.Join(values, "")) == "":
		return 0, directory.FieldErrors{{Field: "entity_type", Message: directory.MsgBlank}}
	case !ok || len(values) > 1:
		return 0, directory.FieldErrors{{Field: "entity_type", Message: directory.MsgInvalid}}
	}
	return t, nil
}
