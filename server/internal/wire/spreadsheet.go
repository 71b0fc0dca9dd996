package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isFormula reports whether a spreadsheet could run a text: whether it begins with =, +, - or @, also of full or small width,
// or behind characters that nobody sees (H11).
func isFormula(s string) bool {
	for _, r := range s {
		switch r {
		case '=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫':
			return true
		}
		if !unseen(r) {
			return false
		}
	}
	return false
}

// brailleBlank is a symbol by its category, and nothing to the eye.
const brailleBlank = '\u2800'

// unseen reports whether a character is white space or shows nothing.
func unseen(r rune) bool {
	return unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Other_Default_Ignorable_Code_Point) || r == brailleBlank
}

// longestError is the length of #OBTENDO_DADOS! and the like, with some room.
const longestError = 20

// isTaken reports whether a spreadsheet of the pt-BR locale could take a text for a number, a date, a time, a percentage, an
// amount, a boolean or an error (H11). Spreadsheets differ in what they read, so it goes by what none of them reads: a text
// without a digit, or with a word that no date and no amount has. Some texts are taken that would have been safe, such as
// "1 e 2"; they look the same.
func isTaken(s string) bool {
	digit, words, boolean := false, 0, false
	glued := false // behind a digit
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case unicode.IsLetter(r):
			n = letters(s)
			word := folded(s[:n])
			if !readable[word] || glued && halves[word] {
				return false
			}
			words++
			boolean = booleans[word]
		case unicode.IsNumber(r):
			digit = true
		case r == '#' && words == 0 && !digit && len(s) <= longestError:
			return true
		}
		glued = unicode.IsNumber(r)
		s = s[n:]
	}
	return digit || words == 1 && boolean
}

// letters returns the length of the word in front of a text.
func letters(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// folded returns a word in lower case and of common width. What is longer than any word that counts is nothing.
func folded(word string) string {
	if len(word) > 40 {
		return ""
	}
	return strings.ToLower(norm.NFKC.String(word))
}

// booleans are the words for true and false.
var booleans = map[string]bool{"verdadeiro": true, "falso": true, "true": true, "false": true}

// halves are the halves of a day as one letter, which a spreadsheet reads behind a space alone: 7A is a class, 7 A an hour.
var halves = map[string]bool{"a": true, "p": true}

// readable are the words that may stand in what a spreadsheet reads: those of dates and times, in Portuguese and in
// English, which it reads in any locale, of amounts, of ordinals, exponents and fractions, and the booleans.
var readable = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		verdadeiro falso true false
		janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro dezembro
		jan fev mar abr mai jun jul ago set out nov dez
		domingo segunda terça terca quarta quinta sexta sábado sabado feira
		dom seg ter qua qui sex sáb sab
		january february march april may june july august september october november december
		feb apr aug sep sept oct dec
		sunday monday tuesday wednesday thursday friday saturday
		sun mon tue tues wed thu thur thurs fri sat
		de do às as a p m am pm h min s t z utc gmt ad bc
		r us brl usd eur real reais e d x o st nd rd th`) {
		words[word] = true
	}
	return words
}()
