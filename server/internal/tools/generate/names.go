package generate

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// wordList has the words of names, one list a line. Titles are in the public domain.
//
//go:embed words.txt
var wordList string

var (
	given, surnames          = wordsOf("given"), wordsOf("surnames")
	schoolKinds, schoolNames = wordsOf("kinds of schools"), wordsOf("names of schools")
	libraryKinds, ageGroups  = wordsOf("kinds of libraries"), wordsOf("age groups")
	categories, subjects     = wordsOf("categories"), wordsOf("subjects")
	nouns, owners            = wordsOf("nouns"), wordsOf("owners") // of invented titles: A Casa, do Rio
	publishers               = prefixed("Editora ", schoolNames)
	states, authors          = listsOf("cities of"), listsOf("titles by")
)

// words is a list of words, and what they belong to.
type words struct {
	of   string
	list []string
}

// listsOf returns the lists whose names have a prefix.
func listsOf(prefix string) (all []words) {
	for line := range strings.Lines(wordList) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if of, ok := strings.CutPrefix(name, prefix); ok {
			all = append(all, words{strings.TrimSpace(of), strings.Split(list, "; ")})
		}
	}
	return all
}

func wordsOf(name string) []string { return listsOf(name)[0].list }

func prefixed(prefix string, list []string) (all []string) {
	for _, s := range list {
		all = append(all, prefix+s)
	}
	return all
}

// person invents a name and an address that cannot exist.
func person(c *chance, number int) (name, address string) {
	first, last := pick(c, given), pick(c, surnames)
	name = first + " " + pick(c, surnames) + " " + last
	return name, plain(first) + "." + plain(last) + "." + strconv.Itoa(number+1) + "@lectern.example"
}

var accents = strings.NewReplacer("á", "a", "â", "a", "ã", "a", "é", "e", "ê", "e", "í", "i", "ó", "o", "ô", "o", "õ", "o", "ú", "u", "ç", "c")

func plain(name string) string { return accents.Replace(strings.ToLower(name)) }

// invented returns the schools of a network in one state, each with a code that no school can have: 99 is no state.
func invented(c *chance) []school {
	state := pick(c, states)
	var list []school
	for _, kind := range schoolKinds {
		for _, name := range schoolNames {
			list = append(list, school{name: kind + " " + name, state: state.of, city: pick(c, state.list)})
		}
	}
	shuffle(c, list)
	for i := range list {
		list[i].inep = fmt.Sprintf("99%06d", i+1)
	}
	return list
}

// Title is a title of a catalogue. Author and ISBN may be empty.
type Title struct{ Name, Author, ISBN string }

// classics returns titles in the public domain.
func classics() (list []Title) {
	for _, author := range authors {
		for _, name := range author.list {
			list = append(list, Title{Name: name, Author: author.of})
		}
	}
	return list
}
