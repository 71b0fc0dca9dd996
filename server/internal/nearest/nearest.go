// Package nearest finds what a mistyped name was to be.
package nearest

import "unicode"

// Name returns the name that a word was most likely meant to be: that with the fewest edits between them, if they are no more
// than a third of the longer one. Case and what joins words do not count: book_id is bookId. Of two that are as near the
// first one counts.
func Name(word string, names []string) (name string, ok bool) {
	fewest := 0
	a := letters(word)
	for _, n := range names {
		b := letters(n)
		if d := distance(a, b); 3*d <= max(len(a), len(b)) && (!ok || d < fewest) {
			name, fewest, ok = n, d, true
		}
	}
	return name, ok
}

// letters returns a name's letters and digits in lower case, at most 64 of them: no name of ours is as long.
func letters(name string) (kept []rune) {
	for _, r := range name {
		if len(kept) < 64 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			kept = append(kept, unicode.ToLower(r))
		}
	}
	return kept
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
