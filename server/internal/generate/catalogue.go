package generate

import (
	"fmt"
	"slices"
	"strings"
)

// title is a book as a table of titles has it.
type title struct{ title, author, isbn string }

// book is a title in the feed.
type book struct {
	title
	id     int
	length int // in words
}

// newBooks numbers the titles from 1 and gives them lengths from 1,500 to 120,000 words, more of them short.
func newBooks(titles []title, seed uint64) []book {
	books := make([]book, len(titles))
	for i, t := range titles {
		c := newChance(seed, forBook, i)
		low := 1500 << pick(&c, []int{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6})
		books[i] = book{t, i + 1, min(c.between(low, 2*low), 120_000)}
	}
	return books
}

// catalogue writes the books.
func (g *schoolsFeed) catalogue(t *table) {
	for _, b := range g.books {
		t.int(b.id)
		t.text(b.title.title)
		t.text(b.author)
		t.text(b.isbn)
		t.int(b.length)
		t.end()
	}
}

// readTitles reads a table of titles: each title and author once, in the table's order, rows without a title left out.
func readTitles(path string) ([]title, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	name, err := s.require("title")
	if err != nil {
		return nil, err
	}
	author, isbn := s.column("author"), s.column("isbn13", "isbn")
	var titles []title
	seen := map[title]bool{}
	for {
		ok, err := s.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		t := title{title: s.text(name), author: s.text(author)}
		if t.title == "" || seen[t] {
			continue
		}
		seen[t] = true
		t.isbn = s.text(isbn)
		titles = append(titles, t)
	}
	if len(titles) == 0 {
		return nil, fmt.Errorf("generate: %s has no titles", s.name)
	}
	return titles, nil
}

// readSchools reads a table of schools, in the layout of the catalogue of schools or of the school census: each code
// once, in the table's order. Schools that do not operate or have no classes of their own are left out, and rows
// without a code, a name, a state or a city.
func readSchools(path string) ([]school, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var columns [4]int
	for i, names := range [][]string{{"inep", "co_entidade"}, {"name", "no_entidade"}, {"uf", "sg_uf", "state"}, {"city", "no_municipio"}} {
		if columns[i], err = s.require(names...); err != nil {
			return nil, err
		}
	}
	status := s.column("restriction", "tp_situacao_funcionamento")
	var schools []school
	seen := map[string]bool{}
	for {
		ok, err := s.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		one := school{s.text(columns[0]), s.text(columns[1]), strings.ToUpper(s.text(columns[2])), s.text(columns[3])}
		if seen[one.inep] || !one.complete() || !operating(s.text(status)) {
			continue
		}
		seen[one.inep] = true
		schools = append(schools, one)
	}
	if len(schools) == 0 {
		return nil, fmt.Errorf("generate: %s has no operating schools", s.name)
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
	for _, word := range []string{"PARALISADA", "EXTINTA", "ATIVIDADE COMPLEMENTAR"} {
		if strings.Contains(strings.ToUpper(status), word) {
			return false
		}
	}
	return true
}

// oneState puts the schools of the state that has most of them first, in a random order, so that a network is of one
// state as far as it can be.
func oneState(schools []school, seed uint64) []school {
	count := map[string]int{}
	for _, s := range schools {
		count[s.state]++
	}
	c := newChance(seed, forSchool, 0)
	shuffle(&c, schools)
	slices.SortStableFunc(schools, func(a, b school) int {
		if n := count[b.state] - count[a.state]; n != 0 {
			return n
		}
		return strings.Compare(a.state, b.state)
	})
	return schools
}
