package directorydb

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// CreateTeacher implements directory.Store.
func (s *Store) CreateTeacher(ctx context.Context, partner directory.PartnerID, in directory.TeacherInput) (directory.AccountRecord, error) {
	return written(ctx, s, partner, func(ctx context.Context, w *Write) (r directory.AccountRecord, err error) {
		a, faults := in.Account()
		if r, err = w.place(ctx, a, in.EntityReferenceID, &faults); err != nil {
			return r, err
		}
		number, err := w.count(ctx, "last_user_id")
		if err != nil {
			return r, err
		}
		r.ID = directory.UserID(number)
		if r.AccessToken, err = w.token(ctx, s.Random); err != nil {
			return r, err
		}
		if err := accounts.insert(ctx, w, false, []directory.Account{r.Account}); err != nil {
			return r, err
		}
		return r, w.take(ctx, r.ID, r.Ref, "")
	})
}

// place makes the checks of a teacher that need the other rows, attaches the teacher to the entity and returns all
// faults.
func (w *Write) place(ctx context.Context, a directory.Account, entity directory.Field, faults *directory.FieldErrors) (r directory.AccountRecord, err error) {
	if err := accounts.free(ctx, w, a, faults); err != nil {
		return r, err
	}
	const field = "entity_reference_id"
	r = directory.AccountRecord{Account: a, EntityRef: directory.Ref(entity.Text)}
	if faults.Message(field) == "" {
		e, err := readEntity(ctx, w, w.Partner, r.EntityRef)
		switch {
		case errors.Is(err, directory.ErrNotFound):
			faults.Add(field, directory.MsgMissing)
		case err != nil:
			return r, err
		}
		r.Entity = e.ID
	}
	return r, faults.Err()
}

// draws is how many tokens are drawn before the source is taken for broken: of 80 random bits, no two are ever equal.
const draws = 4

// token returns an access token that no account of the partner has or had.
func (w *Write) token(ctx context.Context, random io.Reader) (string, error) {
	for range draws {
		token, err := directory.NewAccessToken(random)
		if err != nil {
			return "", err
		}
		taken, err := w.NewSelect().Table("accounts").Where("tenant_id = ? AND access_token = ?", w.Partner, token).Exists(ctx)
		if err != nil || !taken {
			return token, err
		}
	}
	return "", fmt.Errorf("access token: %d draws in a row are taken", draws)
}

// UpdateTeacher implements directory.Store.
func (s *Store) UpdateTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref, in directory.TeacherInput) (directory.AccountRecord, error) {
	return written(ctx, s, partner, func(ctx context.Context, w *Write) (r directory.AccountRecord, err error) {
		was, err := readTeacher(ctx, w, partner, ref)
		if err != nil {
			return r, err
		}
		a, faults := in.Apply(was.Account)
		if r, err = w.place(ctx, a, in.EntityReferenceID, &faults); err != nil {
			return r, err
		}
		if r.Account != was.Account {
			if forgotten, err := authdb.IsForgotten(ctx, w, auth.Tenant(partner), int64(r.ID)); err != nil {
				return r, err
			} else if forgotten {
				r.Forget()
			}
		}
		if r.Ref != was.Ref {
			if err := w.take(ctx, r.ID, r.Ref, was.Ref); err != nil {
				return r, err
			}
		}
		return r, accounts.change(ctx, w, was.Account, r.Account)
	})
}

// DeleteTeacher implements directory.Store. The row stays for the reports, without e-mail and phone.
func (s *Store) DeleteTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	_, err := s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		was, err := readTeacher(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		gone := was.Account
		gone.Deleted, gone.Active, gone.Email, gone.Phone = true, false, "", ""
		if err := accounts.change(ctx, w, was.Account, gone); err != nil {
			return err
		}
		// What is erased is erased in every state (G8).
		_, err = w.NewUpdate().Table("accounts_past").Set("email = ''").Where("tenant_id = ? AND user_id = ?", partner, was.ID).Exec(ctx)
		if err != nil {
			return err
		}
		return w.erased(ctx)
	})
	return err
}
