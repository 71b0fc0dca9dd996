package directorydb

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lectern-dev/lectern/directory"
)

// CreateTeacher implements directory.Store.
func (s *Store) CreateTeacher(ctx context.Context, partner directory.PartnerID, n directory.NewTeacher) (a directory.AccountRecord, err error) {
	err = s.write(ctx, partner, func(ctx context.Context, w *write) error {
		a, err = w.createTeacher(ctx, n, s.Random)
		return err
	})
	if err != nil {
		return directory.AccountRecord{}, err
	}
	return a, nil
}

func (w *write) createTeacher(ctx context.Context, n directory.NewTeacher, random io.Reader) (directory.AccountRecord, error) {
	var none directory.AccountRecord
	a, faults := n.Account()
	a, err := w.place(ctx, a, n.EntityReferenceID, faults)
	if err != nil {
		return none, err
	}
	entity, last, err := Counters(ctx, w, w.partner)
	if err != nil {
		return none, err
	}
	a.ID = last + 1
	if a.AccessToken, err = w.token(ctx, random); err != nil {
		return none, err
	}
	w.changed = true
	if err := accounts.insert(ctx, w, w.partner, false, []accountRow{{a, w.version}}); err != nil {
		return none, err
	}
	if err := w.take(ctx, a.ID, a.Ref, ""); err != nil {
		return none, err
	}
	record := directory.AccountRecord{Account: a, EntityRef: directory.Ref(n.EntityReferenceID.Text)}
	return record, SetCounters(ctx, w, w.partner, entity, a.ID)
}

// place makes the checks of a teacher that need the other rows, attaches the teacher to the entity and returns all
// faults.
func (w *write) place(ctx context.Context, a directory.Account, entity directory.Field, faults *directory.FieldErrors) (directory.Account, error) {
	if err := w.free(ctx, "accounts", a.Ref, int64(a.ID), faults); err != nil {
		return a, err
	}
	const field = "entity_reference_id"
	if faults.Message(field) == "" {
		e, err := readEntity(ctx, w, w.partner, directory.Ref(entity.Text))
		switch {
		case errors.Is(err, directory.ErrNotFound):
			faults.Add(field, directory.MsgMissing)
		case err != nil:
			return a, err
		}
		a.Entity = e.ID
	}
	return a, faults.Err()
}

// draws is how many tokens are drawn before the source is taken for broken: of 80 random bits, no two are ever equal.
const draws = 4

// token returns an access token that no account of the partner has or had.
func (w *write) token(ctx context.Context, random io.Reader) (string, error) {
	for range draws {
		token, err := directory.NewAccessToken(random)
		if err != nil {
			return "", err
		}
		taken, err := w.exists(ctx, `SELECT 1 FROM accounts WHERE tenant_id = ? AND access_token = ?`, w.partner, token)
		if err != nil || !taken {
			return token, err
		}
	}
	return "", fmt.Errorf("access token: %d draws in a row are taken", draws)
}

// UpdateTeacher implements directory.Store.
func (s *Store) UpdateTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref, c directory.TeacherChange) (a directory.AccountRecord, err error) {
	err = s.write(ctx, partner, func(ctx context.Context, w *write) error {
		a, err = w.updateTeacher(ctx, ref, c)
		return err
	})
	if err != nil {
		return directory.AccountRecord{}, err
	}
	return a, nil
}

func (w *write) updateTeacher(ctx context.Context, ref directory.Ref, c directory.TeacherChange) (directory.AccountRecord, error) {
	was, err := readTeacher(ctx, w, w.partner, ref)
	if err != nil {
		return was, err
	}
	a, faults := c.Apply(was.Account)
	if a, err = w.place(ctx, a, c.EntityReferenceID, faults); err != nil {
		return was, err
	}
	if a == was.Account {
		return was, nil
	}
	if a.Ref != was.Ref {
		if err := w.take(ctx, a.ID, a.Ref, was.Ref); err != nil {
			return was, err
		}
	}
	if err := w.past(ctx, "accounts", accountPast, "user_id = ?", a.ID); err != nil {
		return was, err
	}
	err = w.exec(ctx, `
		UPDATE accounts
		   SET name = ?, email = ?, phone = ?, reference_id = ?, entity_id = ?, version = ?
		 WHERE tenant_id = ? AND user_id = ?`, a.Name, a.Email, a.Phone, a.Ref, a.Entity, w.version, w.partner, a.ID)
	return directory.AccountRecord{Account: a, EntityRef: directory.Ref(c.EntityReferenceID.Text)}, err
}

// DeleteTeacher implements directory.Store. The row stays for the reports, without e-mail and phone.
func (s *Store) DeleteTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	return s.write(ctx, partner, func(ctx context.Context, w *write) error {
		a, err := readTeacher(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		if err := w.past(ctx, "accounts", accountPast, "user_id = ?", a.ID); err != nil {
			return err
		}
		// What is erased is erased in every state (G8).
		if err := w.exec(ctx, `UPDATE accounts_past SET email = '' WHERE tenant_id = ? AND user_id = ?`, partner, a.ID); err != nil {
			return err
		}
		return w.exec(ctx, `
			UPDATE accounts
			   SET deleted = TRUE, active = FALSE, email = '', phone = '', version = ?
			 WHERE tenant_id = ? AND user_id = ?`, w.version, partner, a.ID)
	})
}
