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

// source is a table of CSV with a header, gzipped or not.
type source struct {
	name   string
	file   *os.File
	csv    *csv.Reader
	header []string
	row    []string
}

// openSource opens a table and reads its header.
func openSource(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	s := &source{name: filepath.Base(path), file: file}
	if err := s.begin(); err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// begin unpacks what is packed and reads the header.
func (s *source) begin() error {
	var r io.Reader = bufio.NewReader(s.file)
	if magic, _ := r.(*bufio.Reader).Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("generate: %s: %w", s.name, err)
		}
		r = z
	}
	s.csv = csv.NewReader(r)
	s.csv.ReuseRecord = true
	header, err := s.csv.Read()
	if err != nil {
		return fmt.Errorf("generate: %s has no header: %w", s.name, err)
	}
	for _, name := range header {
		s.header = append(s.header, strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))))
	}
	return nil
}

func (s *source) close() { s.file.Close() }

// next reads a row and reports whether there was one.
func (s *source) next() (bool, error) {
	row, err := s.csv.Read()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("generate: %s: %w", s.name, err)
	}
	s.row = row
	return true, nil
}

// column returns the place of the first of the names that the table has, or -1.
func (s *source) column(names ...string) int {
	for _, name := range names {
		if i := slices.Index(s.header, name); i >= 0 {
			return i
		}
	}
	return -1
}

// require is column, with an error that says what is there instead.
func (s *source) require(names ...string) (int, error) {
	i := s.column(names...)
	if i < 0 {
		return i, fmt.Errorf("generate: %s has no column %s; its columns are %s", s.name, strings.Join(names, " or "), strings.Join(s.header, ", "))
	}
	return i, nil
}

// longest is the most characters of a name or title (P3).
const longest = 255

// text returns a cell as a name that can be stored: valid, on one line, of 255 characters. Column -1 is empty.
func (s *source) text(column int) string {
	if column < 0 {
		return ""
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s.row[column], ""))
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > longest {
		text = strings.TrimSpace(string(runes[:longest]))
	}
	return text
}
