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

// Degrees returns the partner's vocabulary of degrees, or the default one if the operator has not replaced it (P3).
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
		 WHERE tenant_id = ?0 AND NOT EXISTS (SELECT 1 FROM superseded_degrees WHERE tenant_id = ?0 AND until > ?1)
		 UNION ALL
		SELECT code, stage, grade, position
		  FROM superseded_degrees
		 WHERE tenant_id = ?0 AND position > 0
		   AND until = (SELECT min(until) FROM superseded_degrees WHERE tenant_id = ?0 AND until > ?1)) AS d`, v.Partner, v.At)
}

// ErrDegrees says that a list is not a vocabulary of degrees.
var ErrDegrees = errors.New("no vocabulary of degrees")

// DegreeCount is how many live entities have a degree.
type DegreeCount struct {
	Code     string `json:"code"`
	Entities int    `json:"entities"`
}

// PutDegrees replaces the partner's vocabulary of degrees (P3) and returns the new versions. From then on the reports
// show the new stages and grades.
//
// Entities keep a degree that leaves the vocabulary: see directory.EntityInput.Apply. left counts the live entities
// that have such a degree, by code. The error is ErrDegrees if the list is empty, has a code twice, or has one that no
// entity can have. It is directory.ErrNotFound if the partner does not exist.
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

// checkDegrees returns ErrDegrees for a list that would not be read back as it is. An empty list would be read as the
// default one.
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

// PutDegrees replaces the partner's vocabulary, after [Store.PutDegrees] has checked it.
func (w *Write) PutDegrees(ctx context.Context, ds directory.Degrees) (left []DegreeCount, err error) {
	w.changed = true
	// The row at position 0 records that the vocabulary was replaced, even if it was the default one.
	_, err = w.NewRaw(`
		INSERT INTO superseded_degrees (tenant_id, until, position, code, stage, grade)
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
