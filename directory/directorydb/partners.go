package directorydb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// Migrations are the tables of this package, in migrations/postgres and migrations/sqlite. They come after authdb's.
//
//go:embed migrations
var Migrations embed.FS

// Partner is an account that the operator created.
type Partner struct {
	ID   directory.PartnerID
	Ref  directory.Ref
	Name string
}

// CreatePartner adds a partner, in a transaction of its own or as a part of the caller's, and returns its number. The
// error is authdb.ErrExist where there is a partner of that reference, and directory.ErrRef where it cannot be one.
func CreatePartner(ctx context.Context, idb bun.IDB, ref directory.Ref, name string) (directory.PartnerID, error) {
	if _, err := directory.ParseRef(string(ref)); err != nil {
		return 0, fmt.Errorf("partner %q: %w", ref, err)
	}
	if err := directory.CheckText(name); err != nil {
		return 0, fmt.Errorf("partner %q: name: %w", ref, err)
	}
	var id directory.PartnerID
	err := idb.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tenant, err := new(authdb.Store).CreateTenant(ctx, tx, authdb.Partner, string(ref), name)
		if err != nil {
			return err
		}
		id = directory.PartnerID(tenant)
		_, err = tx.NewInsert().Model(&partnerRow{TenantID: id, ReferenceID: ref, Name: name}).Returning("NULL").Exec(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("create partner: %w", err)
	}
	return id, nil
}

// PartnerByRef returns the partner with a reference, compared exactly, or directory.ErrNotFound. It reads the list of
// tenants: the other tables are found by the partner's number alone (G4).
func PartnerByRef(ctx context.Context, idb bun.IDB, ref directory.Ref) (Partner, error) {
	p := Partner{Ref: ref}
	if _, err := directory.ParseRef(string(ref)); err != nil { // it may hold what PostgreSQL cannot compare
		return Partner{}, fmt.Errorf("partner %q: %w", ref, directory.ErrNotFound)
	}
	err := idb.NewRaw(`SELECT tenant_id, name FROM tenants WHERE kind = ? AND reference = ?`, authdb.Partner, ref).Scan(ctx, &p.ID, &p.Name)
	if err != nil {
		return Partner{}, fmt.Errorf("partner %q: %w", ref, notFound(err))
	}
	return p, nil
}

// PartnerByID returns the partner of a number, or directory.ErrNotFound.
func PartnerByID(ctx context.Context, idb bun.IDB, id directory.PartnerID) (Partner, error) {
	p := Partner{ID: id}
	err := idb.NewRaw(`SELECT reference_id, name FROM partners WHERE tenant_id = ?`, id).Scan(ctx, &p.Ref, &p.Name)
	if err != nil {
		return Partner{}, fmt.Errorf("partner %d: %w", id, notFound(err))
	}
	return p, nil
}

// Counters returns the last numbers that were given to an entity and to an account of a partner, 0 before the first, or
// directory.ErrNotFound where there is no such partner.
func Counters(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (entity directory.EntityID, user directory.UserID, err error) {
	err = idb.NewRaw(`SELECT last_entity_id, last_user_id FROM partners WHERE tenant_id = ?`, partner).Scan(ctx, &entity, &user)
	if err != nil {
		return 0, 0, fmt.Errorf("counters of partner %d: %w", partner, notFound(err))
	}
	return entity, user, nil
}

// ErrCounters says that a counter was to go back, so that a number would be given twice (S1).
var ErrCounters = errors.New("a counter cannot go back")

// SetCounters sets the last numbers given out. The error is ErrCounters where one is lower than the stored one, and
// directory.ErrNotFound where there is no such partner.
func SetCounters(ctx context.Context, idb bun.IDB, partner directory.PartnerID, entity directory.EntityID, user directory.UserID) error {
	result, err := idb.NewRaw(
		`UPDATE partners SET last_entity_id = ?, last_user_id = ?
		  WHERE tenant_id = ? AND last_entity_id <= ? AND last_user_id <= ?`, entity, user, partner, entity, user).Exec(ctx)
	if err != nil {
		return fmt.Errorf("counters of partner %d: %w", partner, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	if _, _, err := Counters(ctx, idb, partner); err != nil {
		return err
	}
	return fmt.Errorf("counters of partner %d to %d, %d: %w", partner, entity, user, ErrCounters)
}

// Degrees returns the partner's vocabulary of degrees, the usual one where the operator has not replaced it (P3).
func Degrees(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (directory.Degrees, error) {
	return readDegrees(ctx, idb, partner, bun.SafeQuery("degrees WHERE tenant_id = ?", partner))
}

// readDegrees reads a vocabulary; where it has no row, it is the usual one.
func readDegrees(ctx context.Context, idb bun.IDB, partner directory.PartnerID, from schema.QueryWithArgs) (directory.Degrees, error) {
	rows, err := idb.QueryContext(ctx, `SELECT code, stage, grade FROM ? ORDER BY position, code`, from)
	var ds directory.Degrees
	err = each(rows, err, func() error {
		var d directory.Degree
		err := rows.Scan(&d.Code, &d.Stage, &d.Grade)
		ds = append(ds, d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("degrees of partner %d: %w", partner, err)
	}
	if len(ds) == 0 {
		return directory.DefaultDegrees(), nil
	}
	return ds, nil
}

// ErrDegrees says that a list is no vocabulary of degrees.
var ErrDegrees = errors.New("no vocabulary of degrees")

// PutDegrees replaces the partner's vocabulary of degrees (P3) and returns the versions that this made, in a transaction that
// locks the partner as every write of its registers does. The reports show the new stages and grades from then on.
//
// Entities keep a degree that the vocabulary has no more, as directory.EntityChange.Apply has it; of each such code that
// live entities have, left says how many. The error is ErrDegrees where a list is empty or has a code twice, or one that
// no entity can have, and directory.ErrNotFound where there is no such partner.
func PutDegrees(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ds directory.Degrees) (v authdb.Versions, left []DegreeCount, err error) {
	return putDegrees(ctx, idb, &authdb.Store{}, partner, ds)
}

// PutDegrees is the function of that name, by the store's clock.
func (s *Store) PutDegrees(ctx context.Context, partner directory.PartnerID, ds directory.Degrees) (v authdb.Versions, left []DegreeCount, err error) {
	return putDegrees(ctx, s.DB, &authdb.Store{Now: s.Now}, partner, ds)
}

func putDegrees(ctx context.Context, idb bun.IDB, clock *authdb.Store, partner directory.PartnerID, ds directory.Degrees) (v authdb.Versions, left []DegreeCount, err error) {
	if err := checkDegrees(ds); err != nil {
		return v, nil, fmt.Errorf("degrees of partner %d: %w", partner, err)
	}
	err = idb.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
		h, err := authdb.Lock(ctx, tx, auth.Tenant(partner))
		if err != nil {
			return err
		}
		h.Registers = authdb.NextNumber(h.Registers)
		if err := keepDegrees(ctx, tx, partner, h.Registers); err != nil {
			return err
		}
		if err := replaceDegrees(ctx, tx, partner, ds); err != nil {
			return err
		}
		if left, err = degreesLeft(ctx, tx, partner, ds); err != nil {
			return err
		}
		v = h.Versions
		now, err := clock.Clock(ctx, tx)
		if err != nil {
			return err
		}
		return authdb.Hold(ctx, tx, auth.Tenant(partner), h, now)
	})
	if errors.Is(err, authdb.ErrNotFound) {
		err = directory.ErrNotFound
	}
	if err != nil {
		return authdb.Versions{}, nil, fmt.Errorf("degrees of partner %d: %w", partner, err)
	}
	return v, left, nil
}

// checkDegrees returns ErrDegrees for what could not be read back as it is. No degrees at all stand for the usual ones.
func checkDegrees(ds directory.Degrees) error {
	codes := make(map[string]bool, len(ds))
	for _, d := range ds {
		if strings.TrimSpace(d.Code) == "" || directory.CheckText(d.Code, d.Stage) != nil || codes[d.Code] {
			return fmt.Errorf("code %.40q is blank, twice in it, or cannot be stored: %w", d.Code, ErrDegrees)
		}
		codes[d.Code] = true
	}
	if len(ds) == 0 {
		return fmt.Errorf("it has none: %w", ErrDegrees)
	}
	return nil
}

// degreeRow is a row of degrees.
type degreeRow struct {
	bun.BaseModel `bun:"table:degrees"`

	TenantID directory.PartnerID `bun:",pk"`
	Code     string              `bun:",pk"`
	Stage    string
	Grade    int
	Position int
}

func replaceDegrees(ctx context.Context, tx bun.Tx, partner directory.PartnerID, ds directory.Degrees) error {
	if _, err := tx.NewRaw(`DELETE FROM degrees WHERE tenant_id = ?`, partner).Exec(ctx); err != nil {
		return err
	}
	rows := make([]degreeRow, len(ds))
	for i, d := range ds {
		rows[i] = degreeRow{TenantID: partner, Code: d.Code, Stage: d.Stage, Grade: d.Grade, Position: i + 1}
	}
	_, err := tx.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
	return err
}

// DegreeCount is a number of live entities that have a degree.
type DegreeCount struct {
	Code     string
	Entities int
}

// degreesLeft counts the live entities whose degree the vocabulary has not, by code.
func degreesLeft(ctx context.Context, tx bun.Tx, partner directory.PartnerID, ds directory.Degrees) (left []DegreeCount, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT degree, count(*)
		  FROM entities
		 WHERE tenant_id = ? AND NOT deleted
		 GROUP BY degree
		 ORDER BY degree`, partner)
	return left, each(rows, err, func() error {
		var c DegreeCount
		err := rows.Scan(&c.Code, &c.Entities)
		if _, ok := ds.Degree(c.Code); !ok {
			left = append(left, c)
		}
		return err
	})
}

// notFound turns the error for no row into the directory's.
func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return directory.ErrNotFound
	}
	return err
}

// each calls f at each row of a query and closes them.
func each(rows *sql.Rows, err error, f func() error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}
