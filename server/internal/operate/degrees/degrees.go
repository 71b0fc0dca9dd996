// Package degrees reads and writes a partner's vocabulary of degrees as a file with code, stage and grade, in the formats that
// feeds have.
//
//	code,stage,grade
//	1,FUNDAMENTAL 1,1
//
// It does not store a vocabulary: see directorydb.Store.PutDegrees.
package degrees

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/feed"
)

// degree is a row of the file.
type degree struct {
	code, stage string
	grade       *int64
}

// Fields declares the fields of a degree.
func (d *degree) Fields(w *row.Walk) {
	row.Text(w, "code", &d.code, row.Required)
	row.Text(w, "stage", &d.stage)
	row.OptionalInt(w, "grade", &d.grade)
}

// Write writes a vocabulary as CSV, which Read reads.
func Write(w io.Writer, ds directory.Degrees) error {
	c := csv.NewWriter(w)
	c.Write([]string{"code", "stage", "grade"}) // errors are kept until Flush
	for _, d := range ds {
		grade := ""
		if d.Grade > 0 {
			grade = strconv.Itoa(d.Grade)
		}
		c.Write([]string{d.Code, d.Stage, grade})
	}
	c.Flush()
	return c.Error()
}

// Replaced describes the replacement of a vocabulary, as a command prints it.
type Replaced struct {
	Degrees int                       `json:"degrees"`
	Kept    []directorydb.DegreeCount `json:"kept"` // those that the vocabulary has no more; [] where there is none, not null
	Version string                    `json:"version"`
}

// Describe describes what directorydb.Store.PutDegrees did.
func Describe(ds directory.Degrees, v snapshot.Versions, left []directorydb.DegreeCount) Replaced {
	return Replaced{len(ds), append([]directorydb.DegreeCount{}, left...), fmt.Sprintf("%d.%d", v.Registers, v.Facts)}
}

// String lists the degrees that entities keep.
func (r Replaced) String() string {
	texts := make([]string, len(r.Kept))
	for i, k := range r.Kept {
		texts[i] = fmt.Sprintf("%q (%d)", k.Code, k.Entities)
	}
	return strings.Join(texts, ", ")
}

// most is how many bad rows of a file an error lists.
const most = 5

// Read reads a whole vocabulary. Its error lists the first bad rows.
func Read(ctx context.Context, path string) (directory.Degrees, error) {
	file, err := feed.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; lectern degrees without FILE prints the present vocabulary, to begin with", err)
	}
	if err != nil {
		return nil, err
	}
	var ds directory.Degrees
	var bad []error
	err = feed.Records(ctx, file, row.File[degree, directory.Degree]{
		Check: degree.check,
		Take: func(d directory.Degree, _ int) error {
			if _, twice := ds.Degree(d.Code); twice {
				return row.Fault("code", fmt.Sprintf("%q is there already", d.Code))
			}
			ds = append(ds, d)
			return nil
		},
	}, func(e *feed.RowError) error {
		bad = append(bad, e)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(bad) > most:
		return nil, fmt.Errorf("%w; and %d more bad rows; nothing was changed", errors.Join(bad[:most]...), len(bad)-most)
	case len(bad) > 0:
		return nil, fmt.Errorf("%w; nothing was changed", errors.Join(bad...))
	case len(ds) == 0:
		return nil, fmt.Errorf("%s has no rows; a vocabulary needs one at least (lectern degrees without FILE prints the present one)", path)
	}
	return ds, nil
}

// stages are the stages that the schools API can show; a degree may have none.
var stages = []string{"INFANTIL", "FUNDAMENTAL 1", "FUNDAMENTAL 2", "MEDIO"}

// maxCode is the most characters of a code, as of the directory's other texts.
const maxCode = 255

// check makes a degree of a row.
func (d degree) check() (directory.Degree, error) {
	made := directory.Degree{Code: d.code, Stage: d.stage}
	switch {
	case d.code != strings.TrimSpace(d.code), strings.ContainsFunc(d.code, unicode.IsControl), len([]rune(d.code)) > maxCode:
		return made, row.Fault("code", "must be 1 to 255 characters without control characters and without spaces at either end")
	case d.stage != "" && !slices.Contains(stages, d.stage):
		return made, row.Fault("stage", "must be one of "+strings.Join(stages, ", ")+", or empty")
	case d.grade == nil:
		return made, nil
	case *d.grade < 1 || *d.grade > 9:
		return made, row.Fault("grade", "must be 1 to 9, or empty")
	}
	made.Grade = int(*d.grade)
	return made, nil
}
