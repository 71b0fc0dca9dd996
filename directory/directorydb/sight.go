package directorydb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

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

// queryFunc runs a query with parameters.
type queryFunc func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// look reads a sight: one statement, with parameters, so that it is prepared.
func (s *Store) look(ctx context.Context, query queryFunc, a ask) (saw sight, err error) {
	rows, err := query(ctx, s.lookStatement(),
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

// lookStatement is the statement of a look. An own vocabulary of degrees makes a row of each of its degrees.
//
// PostgreSQL plans it once a connection, perhaps while the tables are empty and one index is as good as another. So each row is
// asked for as the first of a range in the order of the index that is meant, which a sum of equalities would not name.
func (s *Store) lookStatement() string {
	return `
		SELECT ` + authdb.HeldColumns + `, ` + s.clock().NowColumn() + `, p.reference_id, p.last_entity_id, p.last_user_id,
		       coalesce(d.code, ''), coalesce(d.stage, ''), coalesce(d.grade, 0), ` + entityOrNone + `,
		       coalesce((` + first("reference_id", "entities", "entity_id", "e.parent_id") + `), ''),
		       coalesce((` + first("TRUE", "entities", "parent_id", "e.entity_id", "AND NOT t.deleted") + `), FALSE),
		       coalesce((` + first("TRUE", "entities", "reference_id", "$2", "AND NOT t.deleted") + `), FALSE),
		       ` + accountOrNone + `,
		       coalesce((` + first("reference_id", "entities", "entity_id", "a.entity_id") + `), ''),
		       coalesce((` + first("TRUE", "forgotten", "user_id", "a.user_id") + `), FALSE),
		       coalesce((` + first("TRUE", "accounts", "reference_id", "$3", "AND NOT t.deleted") + `), FALSE),
		       coalesce((` + first("TRUE", "carriers", "reference_id", "$3") + `), (` + first("TRUE", "accounts", "reference_id", "$3", "AND t.deleted") + `), FALSE),
		       coalesce((` + first("TRUE", "accounts", "access_token", "$4") + `), FALSE)
		  FROM versions v
		  JOIN partners p ON p.tenant_id = v.tenant_id
		  LEFT JOIN degrees d ON d.tenant_id = v.tenant_id
		  LEFT JOIN (` + first("*", "entities", "reference_id", "$5", "AND NOT t.deleted") + `) e ON e.tenant_id = v.tenant_id
		  LEFT JOIN (` + first("*", "accounts", "reference_id", "$6", "AND NOT t.deleted") + `) a ON a.tenant_id = v.tenant_id
		 WHERE v.tenant_id = $1
		 ORDER BY d.position, d.code`
}

// first selects from the partner's row of a table whose column has a value, t.
func first(what, table, column, value string, more ...string) string {
	return "SELECT " + strings.Replace("t."+what, "t.TRUE", "TRUE", 1) + " FROM " + table + " t WHERE t.tenant_id = $1 AND t." + column +
		" BETWEEN " + value + " AND " + value + " " + strings.Join(more, "") + " ORDER BY t." + column + " LIMIT 1"
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
