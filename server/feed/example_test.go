package feed_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/feed"
)

// access is a row of accesses.
type access struct {
	ID      []byte
	Account string
	Day     calendar.Date
}

func (a *access) Fields(w *row.Walk) {
	row.ID(w, "accessId", &a.ID, row.Required)
	row.Text(w, "account", &a.Account, row.Required)
	row.Day(w, "at", &a.Day, row.Required)
}

func ExampleRecords() {
	dir, err := os.MkdirTemp("", "feed")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rows := `{"accessId":1,"account":"aluno-7","at":"2026-03-04T22:15:00-03:00"}
{"accessId":2,"account":"aluno-7","at":"yesterday"}
{"accessId":3,"account":"prof-1","at":"2026-03-05T10:00:00Z"}
`
	if err := os.WriteFile(filepath.Join(dir, "accesses.ndjson"), []byte(rows), 0o600); err != nil {
		log.Fatal(err)
	}
	folder, err := feed.Open(os.DirFS(dir), "accesses")
	if err != nil {
		log.Fatal(err)
	}
	file, err := folder.File("accesses")
	if err != nil {
		log.Fatal(err)
	}
	err = feed.Records(context.Background(), file, row.File[access, access]{
		Check: func(a access) (access, error) { return a, nil },
		Take: func(a access, line int) error {
			fmt.Println(line, a.Account, a.Day)
			return nil
		},
	}, func(e *feed.RowError) error {
		fmt.Println("skipped:", e)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 aluno-7 2026-03-04
	// skipped: accesses.ndjson line 2: field at: must be a time with an offset, such as 2026-01-02T03:04:05Z
	// 3 prof-1 2026-03-05
}
