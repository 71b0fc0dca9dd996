// Package nearest finds what a mistyped name was to be.
package nearest

import "strings"

// Name returns the name that is nearest to a word, or nothing where none is near: at most one change of a character in three,
// letter case aside. Of two that are as near the first one counts.
func Name(word string, names []string) (name string, ok bool) {
	word = strings.ToLower(word)
	best := len([]rune(word))/3 + 1
	for _, n := range names {
		if d := distance([]rune(word), []rune(strings.ToLower(n))); d < best {
			name, best, ok = n, d, true
		}
	}
	return name, ok
}

// distance counts the characters to add, leave out or replace, and the neighbours to swap, that make a of b.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			same := 1
			if a[i] == b[j] {
				same = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+same)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
