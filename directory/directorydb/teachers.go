package directorydb

import (
	"context"
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/directory"
)

// draws is how many tokens are drawn before the source is taken for broken: of 80 random bits, no two are ever equal.
const draws = 4

// CreateTeacher implements directory.Store.
func (s *Store) CreateTeacher(ctx context.Context, partner directory.PartnerID, in directory.TeacherInput) (r directory.AccountRecord, err error) {
	a := askOf(partner, in)
	for range draws {
		if a.newToken, err = directory.NewAccessToken(s.Random); err != nil {
			break
		}
		_, err = s.written(ctx, a, func(ctx context.Context, w *Write, saw sight) (err error) {
			r, err = saw.newTeacher(w, in)
			if err != nil {
				return err
			}
			r.AccessToken = a.newToken
			if saw.carried {
				if err := w.take(ctx, r.ID, r.Ref, ""); err != nil {
					return err
				}
			}
			return accounts.insert(ctx, w, false, []directory.Account{r.Account})
		})
		if !errors.Is(err, errToken) {
			break
		}
	}
	if err != nil {
		return directory.AccountRecord{}, err
	}
	return r, nil
}

// errToken says that an account has or had an access token.
var errToken = fmt.Errorf("access token: %d draws in a row are taken", draws)

// askOf asks for what a teacher is to have.
func askOf(partner directory.PartnerID, in directory.TeacherInput) ask {
	return ask{partner: partner, entity: directory.Ref(in.EntityReferenceID.Text), newAccount: directory.Ref(in.ReferenceID.Text)}
}

// newTeacher returns the teacher that the input makes, with the next number.
func (s sight) newTeacher(w *Write, in directory.TeacherInput) (r directory.AccountRecord, err error) {
	a, faults := in.Account()
	r, err = s.place(a, in.EntityReferenceID, &faults)
	switch {
	case err != nil:
		return r, err
	case s.tokenTaken:
		return r, errToken
	}
	w.counts.user++
	r.ID = w.counts.user
	return r, nil
}

// place makes the checks of a teacher that need the other rows, attaches the teacher to the entity and returns all
// faults.
func (s sight) place(a directory.Account, entity directory.Field, faults *directory.FieldErrors) (directory.AccountRecord, error) {
	if s.accountTaken && a.Ref != s.teacher.Ref && faults.Message("reference_id") == "" { // (P2)
		faults.Add("reference_id", directory.MsgTaken)
	}
	const field = "entity_reference_id"
	if faults.Message(field) == "" && s.entity.ID == 0 {
		faults.Add(field, directory.MsgMissing)
	}
	a.Entity = s.entity.ID
	return directory.AccountRecord{Account: a, EntityRef: directory.Ref(entity.Text)}, faults.Err()
}

// UpdateTeacher implements directory.Store.
func (s *Store) UpdateTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref, in directory.TeacherInput) (r directory.AccountRecord, err error) {
	a := askOf(partner, in)
	a.teacher = ref
	_, err = s.written(ctx, a, func(ctx context.Context, w *Write, saw sight) error {
		was, err := saw.teacherOf(ref)
		if err != nil {
			return err
		}
		a, faults := in.Apply(was.Account)
		if r, err = saw.place(a, in.EntityReferenceID, &faults); err != nil {
			return err
		}
		if r.Account != was.Account && saw.forgotten {
			r.Forget()
		}
		if r.Ref != was.Ref {
			if err := w.take(ctx, r.ID, r.Ref, was.Ref); err != nil {
				return err
			}
		}
		return accounts.change(ctx, w, was.Account, r.Account)
	})
	if err != nil {
		return directory.AccountRecord{}, err
	}
	return r, nil
}

// DeleteTeacher implements directory.Store. The row stays for the reports, without e-mail and phone.
func (s *Store) DeleteTeacher(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	_, err := s.written(ctx, ask{partner: partner, teacher: ref}, func(ctx context.Context, w *Write, saw sight) error {
		was, err := saw.teacherOf(ref)
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
