package generate

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/klauspost/compress/gzip"
)

// readCSV reads the columns that are wanted of a table with a header, gzipped or not: of each, the first of the names that the
// table has. One that must be there and is not is an error; another one is empty.
func readCSV(path string, must int, wanted ...[]string) (rows [][]string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	defer file.Close()
	name, r := filepath.Base(path), io.Reader(bufio.NewReader(file))
	if magic, _ := r.(*bufio.Reader).Peek(2); string(magic) == "\x1f\x8b" {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("generate: %s: %w", name, err)
		}
	}
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("generate: %s has no header: %w", name, err)
	}
	for i, cell := range header {
		header[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(cell, "\ufeff")))
	}
	columns := make([]int, len(wanted))
	for i, names := range wanted {
		columns[i] = slices.IndexFunc(header, func(h string) bool { return slices.Contains(names, h) })
		if i < must && columns[i] < 0 {
			return nil, fmt.Errorf("generate: %s has no column %s; its columns are %s", name, strings.Join(names, " or "), strings.Join(header, ", "))
		}
	}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("generate: %s: %w", name, err)
		}
		row := make([]string, len(wanted))
		for i, at := range columns {
			if at >= 0 {
				row[i] = storable(cells[at])
			}
		}
		rows = append(rows, row)
	}
}

// longest is the most characters of a name or title (P3).
const longest = 255

// storable makes a text a name that can be stored: valid, on one line, of 255 characters.
func storable(text string) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	if runes := []rune(text); len(runes) > longest {
		text = strings.TrimSpace(string(runes[:longest]))
	}
	return text
}

// readTitles reads a table of titles: each title and author once, in the table's order, rows without a title left out.
func readTitles(path string) (titles []title, err error) {
	rows, err := readCSV(path, 1, []string{"title"}, []string{"author"}, []string{"isbn13", "isbn"})
	if err != nil {
		return nil, err
	}
	seen := map[title]bool{}
	for _, row := range rows {
		t := title{name: row[0], author: row[1]}
		if t.name == "" || seen[t] {
			continue
		}
		seen[t] = true
		t.isbn = row[2]
		titles = append(titles, t)
	}
	if len(titles) == 0 {
		return nil, fmt.Errorf("generate: %s has no titles", filepath.Base(path))
	}
	return titles, nil
}

// readSchools reads a table of schools, in the layout of the catalogue of schools or of the school census: each code
// once, in the table's order. Schools that do not operate or have no classes of their own are left out, and rows
// without a code, a name, a state or a city.
func readSchools(path string) (schools []school, err error) {
	rows, err := readCSV(path, 4, []string{"inep", "co_entidade"}, []string{"name", "no_entidade"}, []string{"uf", "sg_uf", "state"},
		[]string{"city", "no_municipio"}, []string{"restriction", "tp_situacao_funcionamento"})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, row := range rows {
		s := school{inep: row[0], name: row[1], state: strings.ToUpper(row[2]), city: row[3]}
		if !seen[s.inep] && s.complete() && operating(row[4]) {
			seen[s.inep] = true
			schools = append(schools, s)
		}
	}
	if len(schools) == 0 {
		return nil, fmt.Errorf("generate: %s has no operating schools", filepath.Base(path))
	}
	return schools, nil
}

// complete reports whether a school has all that an entity needs: a code of up to eight digits, a name, the code of a
// state and a city.
func (s school) complete() bool {
	digits := len(s.inep) >= 1 && len(s.inep) <= 8 && strings.Trim(s.inep, "0123456789") == ""
	return digits && s.name != "" && s.city != "" && len(s.state) == 2
}

// operating reports whether a status, of the census (1) or of the catalogue (words), is that of a school with classes.
// A table without the column has none.
func operating(status string) bool {
	if len(status) == 1 {
		return status == "1"
	}
	return !slices.ContainsFunc([]string{"PARALISADA", "EXTINTA", "ATIVIDADE COMPLEMENTAR"}, func(word string) bool {
		return strings.Contains(strings.ToUpper(status), word)
	})
}

// oneState puts the schools of the state that has most of them first, in a random order, so that a network is of one
// state as far as it can be.
func oneState(schools []school, c *chance) []school {
	count := map[string]int{}
	for _, s := range schools {
		count[s.state]++
	}
	shuffle(c, schools)
	slices.SortStableFunc(schools, func(a, b school) int {
		if n := count[b.state] - count[a.state]; n != 0 {
			return n
		}
		return strings.Compare(a.state, b.state)
	})
	return schools
}
