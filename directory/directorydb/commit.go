package directorydb

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
)

// errAhead says that a write must lock before it looks: something has changed since, or it asks for more than a look.
var errAhead = errors.New("the registers have changed meanwhile")

// run does jobs in one transaction. Where it fails nothing of them is written, unless it is the commit that failed.
func (s *Store) run(ctx context.Context, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	if j := jobs[0]; len(jobs) == 1 && j.ask != (ask{partner: j.partner}) && s.DB.Dialect().Name() == dialect.PG {
		if err := s.ahead(ctx, j); !errors.Is(err, errAhead) {
			return err
		}
	}
	written := false
	err := s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		for rest := jobs; len(rest) > 0; {
			n := slices.IndexFunc(rest, func(j *job) bool { return j.partner != rest[0].partner })
			if n < 0 {
				n = len(rest)
			}
			if err := s.behind(ctx, &later{IDB: tx, past: tx.Tx, joins: sendsBefore(s.DB)}, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		written = true
		return nil
	})
	if err != nil && !written && len(jobs) > 1 {
		return errAlone
	}
	return err
}

// ahead does a job that looks before it locks: the lock is had where all is still as it was seen.
func (s *Store) ahead(ctx context.Context, j *job) error {
	l := &later{IDB: s.DB, past: s.DB.DB, ahead: true}
	w := &Write{IDB: l, Partner: j.partner}
	saw, err := s.see(ctx, w, j.ask)
	if err != nil {
		return err
	}
	w.Version = authdb.NextNumber(saw.held.Registers)
	if err := j.write(ctx, w, saw); err != nil {
		return cmp.Or(l.err, err)
	}
	h, err := w.hold(ctx, saw.held)
	if err := cmp.Or(err, l.err); err != nil || len(l.texts) == 0 {
		return err
	}
	j.versions = h.Versions
	return s.commit(ctx, saw, l.texts)
}

// commit writes texts, in a transaction that begins where a sight left off; else the error is errAhead. All of it is one text, so
// that the lock is held for no round trip: where a row is another, the division by no rows ends it.
func (s *Store) commit(ctx context.Context, saw sight, texts []string) error {
	conn, err := s.DB.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	asSeen := s.DB.NewRaw(`
		SELECT 1 / count(*)
		  FROM (SELECT 1
		          FROM versions v
		          JOIN partners p ON p.tenant_id = v.tenant_id
		         WHERE v.tenant_id = ? AND v.registers = ? AND v.erasures = ? AND p.last_entity_id = ? AND p.last_user_id = ?
		           FOR UPDATE) AS seen`, saw.partner.ID, saw.held.Registers, saw.held.Erasures, saw.partner.LastEntity, saw.partner.LastUser).String()
	_, err = conn.ExecContext(ctx, strings.Join(slices.Concat([]string{"BEGIN", asSeen}, texts, []string{"COMMIT"}), "; "))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, driver.ErrBadConn): // nothing was sent: another connection is better
		return errAhead
	}
	_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	if p, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok && p.SQLState() == divisionByZero {
		return errAhead
	}
	return err
}

// divisionByZero is the error of PostgreSQL that says that nothing is as it was seen: no register divides.
const divisionByZero = "22012"

// behind does jobs of one partner behind its lock, which the first look waits for.
func (s *Store) behind(ctx context.Context, l *later, jobs []*job) error {
	partner := jobs[0].partner
	if err := authdb.LockNext(ctx, l, auth.Tenant(partner)); err != nil {
		return err
	}
	w := &Write{IDB: l, Partner: partner}
	var h authdb.Held
	for _, j := range jobs {
		saw, err := s.see(ctx, w, j.ask)
		if err != nil {
			return err
		}
		if w.Version == 0 {
			h, w.Version = saw.held, authdb.NextNumber(saw.held.Registers)
		}
		before := *w
		waited := len(l.texts)
		l.sent = false
		if j.err = j.write(ctx, w, saw); j.err == nil {
			continue
		}
		if l.sent {
			return j.err
		}
		*w, l.texts = before, l.texts[:waited]
	}
	h, err := w.hold(ctx, h)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		j.versions = h.Versions
	}
	return l.send(ctx)
}

// see looks, after what has been written.
func (s *Store) see(ctx context.Context, w *Write, a ask) (sight, error) {
	saw, err := s.look(ctx, w.IDB.(*later).look, a)
	if w.now = saw.now; w.counts == (counts{}) {
		w.counts = counts{saw.partner.LastEntity, saw.partner.LastUser}
		w.given = w.counts
	}
	return saw, err
}

// hold makes what was written the partner's registers, if anything was, and returns what holds then.
func (w *Write) hold(ctx context.Context, h authdb.Held) (authdb.Held, error) {
	if !w.changed {
		return h, nil
	}
	if w.counts != w.given {
		if err := w.setCounts(ctx); err != nil {
			return h, err
		}
	}
	h.Registers = w.Version
	return h, h.Hold(ctx, w, auth.Tenant(w.Partner), w.now)
}
