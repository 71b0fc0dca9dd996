package directorydb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// degreeRow is a row of degrees.
type degreeRow struct {
	bun.BaseModel `bun:"table:degrees"`

	TenantID directory.PartnerID
	directory.Degree
	Position int
}

// Degrees returns the partner's vocabulary of degrees, the usual one where the operator has not replaced it (P3).
func Degrees(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (directory.Degrees, error) {
	return Latest(idb, partner).Degrees(ctx)
}

// Degrees returns the partner's vocabulary of degrees. One statement reads both places where it may stand.
func (v View) Degrees(ctx context.Context) (directory.Degrees, error) {
	from := bun.SafeQuery("degrees WHERE tenant_id = ?", v.Partner)
	if v.At != Now {
		from = v.pastDegrees()
	}
	var ds directory.Degrees
	err := v.DB.NewSelect().ColumnExpr("code, stage, grade").TableExpr("?", from).OrderExpr("position, code").Scan(ctx, &ds)
	if err != nil {
		return nil, fmt.Errorf("degrees of partner %d: %w", v.Partner, err)
	}
	if len(ds) == 0 {
		return directory.DefaultDegrees(), nil
	}
	return ds, nil
}

func (v View) pastDegrees() schema.QueryWithArgs {
	return bun.SafeQuery(`(
		SELECT code, stage, grade, position
		  FROM degrees
		 WHERE tenant_id = ?0 AND NOT EXISTS (SELECT 1 FROM degrees_past WHERE tenant_id = ?0 AND until > ?1)
		 UNION ALL
		SELECT code, stage, grade, position
		  FROM degrees_past
		 WHERE tenant_id = ?0 AND position > 0
		   AND until = (SELECT min(until) FROM degrees_past WHERE tenant_id = ?0 AND until > ?1)) AS d`, v.Partner, v.At)
}

// ErrDegrees says that a list is no vocabulary of degrees.
var ErrDegrees = errors.New("no vocabulary of degrees")

// DegreeCount is a number of live entities that have a degree.
type DegreeCount struct {
	Code     string `json:"code"`
	Entities int    `json:"entities"`
}

// PutDegrees replaces the partner's vocabulary of degrees (P3) and returns the versions that this made. The reports show the
// new stages and grades from then on.
//
// Entities keep a degree that the vocabulary has no more, as directory.EntityInput.Apply has it; of each such code that
// live entities have, left says how many. The error is ErrDegrees where a list is empty or has a code twice, or one that
// no entity can have, and directory.ErrNotFound where there is no such partner.
func (s *Store) PutDegrees(ctx context.Context, partner directory.PartnerID, ds directory.Degrees) (v snapshot.Versions, left []DegreeCount, err error) {
	err = checkDegrees(ds)
	if err == nil {
		v, err = s.write(ctx, partner, func(ctx context.Context, w *Write) error {
			left, err = w.PutDegrees(ctx, ds)
			return err
		})
	}
	if err != nil {
		return snapshot.Versions{}, nil, fmt.Errorf("degrees of partner %d: %w", partner, err)
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

// PutDegrees replaces the partner's vocabulary, as [Store.PutDegrees] does, which checks it.
func (w *Write) PutDegrees(ctx context.Context, ds directory.Degrees) (left []DegreeCount, err error) {
	w.changed = true
	// A row in place 0 of the past stands for the vocabulary even where it is the usual one.
	_, err = w.NewRaw(`
		INSERT INTO degrees_past (tenant_id, until, position, code, stage, grade)
		SELECT tenant_id, ?0, position, code, stage, grade
		  FROM degrees
		 WHERE tenant_id = ?1
		 UNION ALL
		SELECT ?1, ?0, 0, '', '', 0`, w.Version, w.Partner).Exec(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := w.NewDelete().Model((*degreeRow)(nil)).Where("tenant_id = ?", w.Partner).Exec(ctx); err != nil {
		return nil, err
	}
	rows := make([]degreeRow, len(ds))
	for i, d := range ds {
		rows[i] = degreeRow{TenantID: w.Partner, Degree: d, Position: i + 1}
	}
	if _, err := w.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return nil, err
	}
	err = w.NewSelect().Table("entities").ColumnExpr("degree AS code, count(*) AS entities").
		Where("tenant_id = ? AND NOT deleted", w.Partner).Group("degree").Order("degree").Scan(ctx, &left)
	return slices.DeleteFunc(left, func(c DegreeCount) bool {
		_, ok := ds.Degree(c.Code)
		return ok
	}), err
}
