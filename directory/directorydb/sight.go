package directorydb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
)

// ask is what the rules want to know of a partner. Empty references are nobody's.
type ask struct {
	partner directory.PartnerID
	entity  directory.Ref // of the live entity that is looked at: the one that changes, or the one above
	teacher directory.Ref // of the teacher that is looked at
	// The reference and the access token that are to be new, of an entity or of an account.
	newEntity, newAccount directory.Ref
	newToken              string
}

// sight is what stands there, all of one moment.
type sight struct {
	held     authdb.Held
	now      time.Time
	partner  Partner
	degrees  directory.Degrees
	entity   directory.EntityRecord // of number 0 where there is none
	children bool                   // live ones, of the entity
	teacher  directory.AccountRecord
	// Whether the teacher is forgotten; whether something live has the new references; whether the account's was carried before;
	// whether an account has or had the new token.
	forgotten, entityTaken, accountTaken, carried, tokenTaken bool
}

// look reads a sight: one statement, with parameters, so that it is prepared.
func (s *Store) look(ctx context.Context, conn bun.IConn, a ask) (saw sight, err error) {
	rows, err := conn.QueryContext(ctx, s.lookStatement(),
		a.partner, findable(a.newEntity), findable(a.newAccount), a.newToken, findable(a.entity), findable(a.teacher))
	err = authdb.Visit(rows, err, fmt.Sprintf("partner %d", a.partner), saw.scan)
	switch {
	case err != nil:
		return sight{}, err
	case saw.partner.Ref == "":
		return sight{}, fmt.Errorf("partner %d: %w", a.partner, directory.ErrNotFound)
	case len(saw.degrees) == 0:
		saw.degrees = directory.DefaultDegrees()
	}
	if saw.teacher.Kind != directory.Teacher {
		saw.teacher = directory.AccountRecord{}
	}
	if saw.entity.ID != 0 && saw.entity.Parent == 0 {
		saw.entity.ParentRef = saw.partner.Ref // (P1)
	}
	saw.partner.ID, saw.now = a.partner, s.clock().NowRead(saw.now)
	return saw, nil
}

func (s *Store) clock() *authdb.Store { return &authdb.Store{DB: s.DB, Now: s.Now} }

// lookStatement is the statement of a look. An own vocabulary of degrees makes a row of each of its degrees. What is asked of a
// joined row is a subselect with a limit: for an EXISTS PostgreSQL would rather read all that the partner has.
func (s *Store) lookStatement() string {
	return `
		SELECT ` + authdb.HeldColumns + `, ` + s.clock().NowColumn() + `, p.reference_id, p.last_entity_id, p.last_user_id,
		       coalesce(d.code, ''), coalesce(d.stage, ''), coalesce(d.grade, 0), ` + entityOrNone + `,
		       coalesce((SELECT u.reference_id FROM entities u WHERE u.tenant_id = $1 AND u.entity_id = e.parent_id), ''),
		       coalesce((SELECT TRUE FROM entities c WHERE c.tenant_id = $1 AND c.parent_id = e.entity_id AND NOT c.deleted LIMIT 1), FALSE),
		       EXISTS (SELECT 1 FROM entities t WHERE t.tenant_id = $1 AND t.reference_id = $2 AND NOT t.deleted),
		       ` + accountOrNone + `,
		       coalesce((SELECT u.reference_id FROM entities u WHERE u.tenant_id = $1 AND u.entity_id = a.entity_id), ''),
		       coalesce((SELECT TRUE FROM forgotten f WHERE f.tenant_id = $1 AND f.user_id = a.user_id), FALSE),
		       EXISTS (SELECT 1 FROM accounts t WHERE t.tenant_id = $1 AND t.reference_id = $3 AND NOT t.deleted),
		       EXISTS (SELECT 1 FROM carriers c WHERE c.tenant_id = $1 AND c.reference_id = $3)
		       OR EXISTS (SELECT 1 FROM accounts t WHERE t.tenant_id = $1 AND t.reference_id = $3 AND t.deleted),
		       EXISTS (SELECT 1 FROM accounts t WHERE t.tenant_id = $1 AND t.access_token = $4)
		  FROM versions v
		  JOIN partners p ON p.tenant_id = v.tenant_id
		  LEFT JOIN degrees d ON d.tenant_id = v.tenant_id
		  LEFT JOIN entities e ON e.tenant_id = v.tenant_id AND e.reference_id = $5 AND NOT e.deleted
		  LEFT JOIN accounts a ON a.tenant_id = v.tenant_id AND a.reference_id = $6 AND NOT a.deleted
		 WHERE v.tenant_id = $1
		 ORDER BY d.position, d.code`
}

// findable returns a reference, or an empty one, which nothing has, in place of what PostgreSQL could not compare.
func findable(ref directory.Ref) directory.Ref {
	if _, err := directory.ParseRef(string(ref)); err != nil {
		return ""
	}
	return ref
}

// scan reads a row.
func (s *sight) scan(rows *sql.Rows) error {
	var now sql.NullTime
	var degree directory.Degree
	head := append(s.held.Fields(), &now, &s.partner.Ref, &s.partner.LastEntity, &s.partner.LastUser,
		&degree.Code, &degree.Stage, &degree.Grade)
	middle := []any{&s.entity.ParentRef, &s.children, &s.entityTaken}
	end := []any{&s.teacher.EntityRef, &s.forgotten, &s.accountTaken, &s.carried, &s.tokenTaken}
	err := entityFields.schema.Scanner().Scan(func(entity ...any) error {
		return accounts.schema.Scanner().Scan(func(account ...any) error {
			return rows.Scan(append(append(append(append(head, entity...), middle...), account...), end...)...)
		}, &s.teacher.Account)
	}, &s.entity.Entity)
	if s.now = now.Time; degree.Code != "" {
		s.degrees = append(s.degrees, degree)
	}
	return err
}

var entityOrNone, accountOrNone = entityFields.orNone("e"), accounts.orNone("a")

// orNone are the columns of a joined row, or of the zero record where none was found.
func (f fields[R]) orNone(of string) string {
	var list []string
	for i := range f.schema {
		zero := "0"
		switch f.schema[i].Kind {
		case row.Truth:
			zero = "FALSE"
		case row.String:
			zero = "''"
		}
		list = append(list, "coalesce("+of+"."+f.schema[i].Column()+", "+zero+")")
	}
	return strings.Join(list, ", ")
}

// entityOf returns the entity, which has the reference, or directory.ErrNotFound.
func (s sight) entityOf(ref directory.Ref) (directory.EntityRecord, error) {
	if s.entity.ID == 0 {
		return directory.EntityRecord{}, fmt.Errorf("entity %q: %w", ref, directory.ErrNotFound)
	}
	return s.entity, nil
}

// teacherOf returns the teacher, who has the reference, or directory.ErrNotFound. The entity may have been deleted (P6).
func (s sight) teacherOf(ref directory.Ref) (directory.AccountRecord, error) {
	if s.teacher.ID == 0 {
		return directory.AccountRecord{}, fmt.Errorf("teacher %q: %w", ref, directory.ErrNotFound)
	}
	return s.teacher, nil
}
