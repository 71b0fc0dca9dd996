package generate

import (
	"encoding/csv"
	"fmt"
	"os"
)

// readTitles reads a CSV file with the columns title, author and ISBN, below a header.
func readTitles(path string) (titles []title, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 || len(rows[0]) < 3 {
		return nil, fmt.Errorf("generate: %s has no rows of title, author and ISBN: %w", path, err)
	}
	for _, row := range rows[1:] {
		titles = append(titles, title{row[0], row[1], row[2]})
	}
	return titles, nil
}
