package feed

import "bytes"

// List returns the texts of field i: a JSON array of strings, or in CSV what semicolons separate. A null and an empty
// array are no texts; an empty text within a list is an error.
func (r *Row) List(i int) []string {
	var list []string
	for _, item := range r.items(i) {
		text, ok := r.text(item)
		if !ok || len(text) == 0 {
			r.Fail(i, "must be a list of strings")
			return nil
		}
		list = append(list, string(text))
	}
	return list
}

// Ints is List for integers, each as [Row.Int] takes them.
func (r *Row) Ints(i int) []int64 {
	var list []int64
	for _, item := range r.items(i) {
		n, wrong := parseInt(item)
		if wrong != "" {
			r.Fail(i, "each of the list "+wrong)
			return nil
		}
		list = append(list, n)
	}
	return list
}

// items returns the elements of a list, as they are written.
func (r *Row) items(i int) [][]byte {
	switch cell := r.cells[i]; {
	case r.Null(i):
		return nil
	case r.csv:
		return bytes.Split(cell, []byte{';'})
	case cell[0] != '[':
		r.Fail(i, "must be a list")
		return nil
	default:
		return elements(cell)
	}
}

// elements returns the elements of an array that is known to be JSON.
func elements(array []byte) [][]byte {
	var list [][]byte
	depth, start := 0, 1
	for i := 0; i < len(array); i++ {
		switch array[i] {
		case '"':
			i = stringEnd(array, i)
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 1 {
				list = append(list, bytes.TrimSpace(array[start:i]))
				start = i + 1
			}
		}
	}
	last := bytes.TrimSpace(array[start : len(array)-1])
	if len(last) == 0 {
		return list
	}
	return append(list, last)
}

// stringEnd returns the place of the quote that ends the JSON string that begins at from.
func stringEnd(text []byte, from int) int {
	for i := from + 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
}
