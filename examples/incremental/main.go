// Incremental keeps a copy of a network's users, engagements and readings of a year in a SQLite file. Its first run pulls all rows. Each
// later run pulls the rows that have changed since, and prints how many:
//
//	go run ./examples/incremental -key KEY -year 2026 -copy copy.db http://127.0.0.1:8080
//	sqlite3 copy.db "SELECT row ->> '$.book.title' AS title, count(*) FROM copy WHERE list LIKE 'readings?%' GROUP BY title"
//
// The pull of a list is one transaction: a reader of the copy sees the list as of one snapshot, and a pull that fails changes nothing.
// A server keeps a snapshot for two hours; to run this program once a day, let the server keep them longer with `serve --keep 26h`.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

var (
	key  = flag.String("key", "", "the schools key")
	year = flag.Int("year", time.Now().Year(), "the year to keep")
	file = flag.String("copy", "copy.db", "the SQLite file of the copy")
	size = flag.Int("size", 1000, "rows a page")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := keep(ctx, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// The copy has the rows of each list by their natural key, as JSON, and the snapshot that the list is from.
const schema = `
	CREATE TABLE IF NOT EXISTS copy (list TEXT, key TEXT, row TEXT NOT NULL, PRIMARY KEY (list, key)) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS snapshots (list TEXT PRIMARY KEY, snapshot TEXT NOT NULL)`

// keep brings the copy to date.
func keep(ctx context.Context, base string) error {
	opened, err := database.Open(ctx, "sqlite:"+*file)
	if err != nil {
		return err
	}
	defer opened.Close()
	db := opened.Writer.DB // database/sql: any driver will do
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	// An explicit period is the same query all year: the server takes today for an end in the future.
	period := fmt.Sprintf("startDate=%d-01-01&endDate=%d-12-31", *year, *year)
	for _, list := range []string{"users?", "engagements?" + period, "readings?" + period} {
		if err := update(ctx, db, base, list); err != nil {
			return err
		}
	}
	return nil
}

// update brings one list to date. It pulls the changes since the copy's snapshot. It pulls the whole list if there is no copy yet or
// the server no longer keeps that snapshot.
func update(ctx context.Context, db *sql.DB, base, list string) error {
	var since string
	err := db.QueryRowContext(ctx, `SELECT snapshot FROM snapshots WHERE list = ?`, list).Scan(&since)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	err = pull(ctx, db, base, list, since)
	if errors.Is(err, errGone) && since != "" {
		err = pull(ctx, db, base, list, "")
	}
	return err
}

// pull pulls the changes since a snapshot, or all rows if since is empty, in one transaction.
func pull(ctx context.Context, db *sql.DB, base, list, since string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query := base + "/api-platform/schools/v1/" + list
	if since == "" {
		if _, err := tx.ExecContext(ctx, `DELETE FROM copy WHERE list = ?`, list); err != nil {
			return err
		}
	} else {
		query += "&changedSince=" + since
	}
	snapshot, total := "", 1
	for page := 1; (page-1)**size < total; page++ {
		url := fmt.Sprintf("%s&page=%d&pageSize=%d", query, page, *size)
		if page > 1 {
			url += "&snapshot=" + snapshot
		}
		res, err := get(ctx, url)
		if err != nil {
			return err
		}
		snapshot = res.Header.Get("X-Snapshot")
		if total, err = strconv.Atoi(res.Header.Get("X-Total-Rows")); err == nil {
			err = apply(ctx, tx, list, res)
		}
		if err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO snapshots VALUES (?, ?)`, list, snapshot); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	name, _, _ := strings.Cut(list, "?")
	fmt.Println(name, total)
	return nil
}

// apply applies a page, which has one row a line, to the copy.
func apply(ctx context.Context, tx *sql.Tx, list string, res *http.Response) error {
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct { // the members of the three natural keys
			Date    string
			UserID  int64
			Book    struct{ ID int64 }
			Removed bool
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return err
		}
		change, args := `INSERT OR REPLACE INTO copy VALUES (?, ?, ?)`, []any{list, fmt.Sprint(row.Date, " ", row.UserID, " ", row.Book.ID), lines.Text()}
		if row.Removed {
			change, args = `DELETE FROM copy WHERE list = ? AND key = ?`, args[:2]
		}
		if _, err := tx.ExecContext(ctx, change, args...); err != nil {
			return err
		}
	}
	return lines.Err()
}

// errGone says that the server no longer keeps a snapshot.
var errGone = errors.New("410 Gone")

// get requests a page. After a 429 it waits for the time in Retry-After and requests the page again.
func get(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Api-Key", *key)
	req.Header.Set("Accept", "application/x-ndjson")
	for {
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode == http.StatusOK {
			return res, err
		}
		res.Body.Close()
		wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		switch {
		case res.StatusCode == http.StatusGone:
			return nil, errGone
		case res.StatusCode != http.StatusTooManyRequests || wait == 0:
			return nil, fmt.Errorf("%s: %s", url, res.Status)
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}
