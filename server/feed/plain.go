package feed

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// plain reads a line as most of them are written: one object of members that are fields, each once, whose values are numbers
// without an exponent, strings without escapes, or literals. It reports false of every other line, good or not, and has
// then said nothing of it: the decoder does.
func (p *jsonParser) plain(line []byte, c *cells) bool {
	n := len(line) - 1
	for n > 0 && (line[n] == '\r' || line[n] == ' ') {
		n--
	}
	line = line[:n+1]
	if n < 2 || line[0] != '{' || line[n] != '}' || !printable(line) {
		return false
	}
	clear(p.met)
	p.at = 0
	for at := 1; ; at++ { // the last byte is neither of a blank, a name nor a value: nothing reads beyond it
		at = blanks(line, at)
		i := p.named(line[at:])
		if i < 0 || p.met[i] {
			return false
		}
		p.met[i] = true
		if at = blanks(line, at+len(p.quoted[i])); line[at] != ':' {
			return false
		}
		at = blanks(line, at+1)
		end := plainValue(line, at)
		if end < 0 {
			return false
		}
		if line[at] != 'n' {
			c.list[i] = line[at:end:end]
		}
		switch at = blanks(line, end); {
		case at == n:
			return true
		case line[at] != ',':
			return false
		}
	}
}

// plainValue returns where a value ends, or -1 where it is none that is plain.
func plainValue(line []byte, at int) int {
	switch c := line[at]; {
	case c == '"':
		if n := bytes.IndexByte(line[at+1:], '"'); n >= 0 {
			return at + n + 2
		}
	case c == '-' || '0' <= c && c <= '9':
		return plainNumber(line, at)
	case bytes.HasPrefix(line[at:], []byte("null")), bytes.HasPrefix(line[at:], []byte("true")):
		return at + 4
	case bytes.HasPrefix(line[at:], []byte("false")):
		return at + 5
	}
	return -1
}

// plainNumber returns where a number ends that has no exponent, or -1. What follows, such as an exponent, ends no member.
func plainNumber(line []byte, at int) int {
	if line[at] == '-' {
		at++
	}
	whole := at
	if at = digits(line, at); at == whole || line[whole] == '0' && at > whole+1 {
		return -1
	}
	if line[at] != '.' {
		return at
	}
	point := at
	if at = digits(line, at+1); at == point+1 {
		return -1
	}
	return at
}

// digits and blanks return where what begins at a place ends.
func digits(line []byte, at int) int {
	for '0' <= line[at] && line[at] <= '9' {
		at++
	}
	return at
}

func blanks(line []byte, at int) int {
	for line[at] == ' ' {
		at++
	}
	return at
}

// printable reports whether a line is UTF-8 without control characters and backslashes.
func printable(line []byte) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	odd, high := uint64(0), uint64(0)
	for rest := line; len(rest) > 0; {
		eight := uint64(' ' * each)
		if len(rest) >= 8 {
			eight, rest = binary.LittleEndian.Uint64(rest), rest[8:]
		} else {
			for _, c := range rest {
				eight = eight<<8 | uint64(c)
			}
			rest = nil
		}
		escape := eight ^ '\\'*each
		// Subtraction borrows from the top of a byte that is less than what is taken from it, and only beside such a one from
		// another.
		odd |= (eight-' '*each)&^eight | (escape-each)&^escape
		high |= eight
	}
	return odd&top == 0 && (high&top == 0 || utf8.Valid(line))
}
