package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/feed"
)

type degreesCmd struct {
	File    string `arg:"" optional:"" help:"The new vocabulary: a .csv or .ndjson file (also .gz or .zst) with code, stage and grade."`
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
}

// Help shows a file, and what happens to entities.
func (c *degreesCmd) Help() string {
	return `A degree says which stage and grade the schools API shows for the users of a class. Without FILE the present
vocabulary is printed, in the form of such a file. Stage is INFANTIL, FUNDAMENTAL 1, FUNDAMENTAL 2, MEDIO or empty,
grade 1 to 9 or empty. FILE replaces the whole vocabulary, or, where any row of it is wrong, nothing.

Entities keep a degree that is taken out: the output counts them. They show no stage and no grade from then on, and a feed
that still names the degree has bad rows.

  lectern degrees --partner acme > degrees.csv     # code,stage,grade
  lectern degrees --partner acme degrees.csv`
}

// Run prints the vocabulary, or replaces it by that of a file and says what that leaves behind.
func (c *degreesCmd) Run(s *session) error {
	if c.File == "" {
		return c.show(s)
	}
	ds, err := readDegrees(s, c.File)
	if err != nil {
		return err
	}
	db, p, err := s.openPartner(s.openExisting, c.Partner)
	if err != nil {
		return err
	}
	defer db.Close()
	v, left, err := (&directorydb.Store{DB: db.DB, Now: s.clock}).PutDegrees(s.ctx, p.ID, ds)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		fmt.Fprintf(s.stderr, "lectern: note: entities keep degrees that %s has not: %s; they show no stage and grade, "+
			"and a feed that still names such a degree has bad rows\n", c.File, countsText(left))
	}
	return s.print(degreesReplaced{len(ds), keptDegrees(left), fmt.Sprintf("%d.%d", v.Registers, v.Facts)})
}

// degreesReplaced is what a replacement prints.
type degreesReplaced struct {
	Degrees int          `json:"degrees"`
	Kept    []keptDegree `json:"kept"`
	Version string       `json:"version"`
}

// keptDegree is a degree that live entities have, and the vocabulary has not.
type keptDegree struct {
	Code     string `json:"code"`
	Entities int    `json:"entities"`
}

func keptDegrees(left []directorydb.DegreeCount) []keptDegree {
	kept := make([]keptDegree, len(left)) // [] where there is none, not null
	for i, l := range left {
		kept[i] = keptDegree(l)
	}
	return kept
}

func countsText(left []directorydb.DegreeCount) string {
	texts := make([]string, len(left))
	for i, l := range left {
		texts[i] = fmt.Sprintf("%q (%d)", l.Code, l.Entities)
	}
	return strings.Join(texts, ", ")
}

// show prints the present vocabulary as a file that could replace it.
func (c *degreesCmd) show(s *session) error {
	db, p, err := s.openPartner(s.openCurrent, c.Partner)
	if err != nil {
		return err
	}
	defer db.Close()
	ds, err := directorydb.Degrees(s.ctx, db, p.ID)
	if err != nil {
		return err
	}
	w := csv.NewWriter(s.stdout)
	w.Write([]string{"code", "stage", "grade"}) // errors are kept until Flush
	for _, d := range ds {
		grade := ""
		if d.Grade > 0 {
			grade = strconv.Itoa(d.Grade)
		}
		w.Write([]string{d.Code, d.Stage, grade})
	}
	w.Flush()
	return w.Error()
}

var degreeFields = []feed.Field{{Name: "code", Required: true}, {Name: "stage"}, {Name: "grade"}}

// badDegrees is how many bad rows of a file are told.
const badDegrees = 5

// readDegrees reads a whole vocabulary from a file, as feeds are read. Its error tells the first bad rows.
func readDegrees(s *session, path string) (directory.Degrees, error) {
	file, err := degreesFile(path)
	if err != nil {
		return nil, err
	}
	var ds directory.Degrees
	var bad []error
	err = feed.Read(s.ctx, file, degreeFields, parseDegree, func(d *directory.Degree, _ feed.Pos) error {
		if _, twice := ds.Degree(d.Code); twice {
			return feed.Bad("code", fmt.Sprintf("%q is there already", d.Code))
		}
		ds = append(ds, *d)
		return nil
	}, func(e *feed.RowError) error {
		bad = append(bad, e)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(bad) > badDegrees:
		return nil, fmt.Errorf("%w; and %d more bad rows; nothing was changed", errors.Join(bad[:badDegrees]...), len(bad)-badDegrees)
	case len(bad) > 0:
		return nil, fmt.Errorf("%w; nothing was changed", errors.Join(bad...))
	case len(ds) == 0:
		return nil, fmt.Errorf("%s has no rows; a vocabulary needs one at least (lectern degrees without FILE prints the present one)", path)
	}
	return ds, nil
}

// degreesFile finds a file as feeds find theirs: the folder's file of that name.
func degreesFile(path string) (*feed.File, error) {
	folder, name := filepath.Split(path)
	resource, _ := cutEnding(name, ".gz", ".zst")
	resource, rows := cutEnding(resource, ".csv", ".ndjson")
	if !rows || resource == "" {
		return nil, fmt.Errorf("%s is neither .csv nor .ndjson, nor one of these with .gz or .zst; name such a file", path)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%w; lectern degrees without FILE prints the present vocabulary, to begin with", err)
	}
	f, err := feed.Open(filepath.Clean(folder))
	if err != nil {
		return nil, err
	}
	return f.File(resource)
}

// cutEnding cuts one of the endings off a file's name, in any case, and reports whether it has one.
func cutEnding(name string, endings ...string) (string, bool) {
	ext := filepath.Ext(name)
	for _, e := range endings {
		if strings.EqualFold(ext, e) {
			return strings.TrimSuffix(name, ext), true
		}
	}
	return name, false
}

// stages are those that the schools API can show; a degree may have none.
var stages = []string{"INFANTIL", "FUNDAMENTAL 1", "FUNDAMENTAL 2", "MEDIO"}

// maxDegreeCode is the most characters of a code: what a directory's other texts have.
const maxDegreeCode = 255

func parseDegree(r *feed.Row, d *directory.Degree) {
	*d = directory.Degree{Code: r.Text(0), Stage: r.Text(1)}
	if !r.Null(2) {
		d.Grade = int(r.Int(2))
	}
	switch {
	case r.Bad():
	case d.Code != strings.TrimSpace(d.Code), strings.ContainsFunc(d.Code, unicode.IsControl), len([]rune(d.Code)) > maxDegreeCode:
		r.Fail(0, "must be 1 to 255 characters without control characters and without spaces at either end")
	case d.Stage != "" && !slices.Contains(stages, d.Stage):
		r.Fail(1, "must be one of "+strings.Join(stages, ", ")+", or empty")
	case !r.Null(2) && (d.Grade < 1 || d.Grade > 9):
		r.Fail(2, "must be 1 to 9, or empty")
	}
}
