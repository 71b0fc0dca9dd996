package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// libraryNetwork is one generated feed of a library network and the binary that serves it.
type libraryNetwork struct {
	product
	readers, days int
}

func (n libraryNetwork) feed() string {
	return filepath.Join(n.dir, fmt.Sprintf("libraries-%d-%d", n.readers, n.days))
}

// last is the last day of the feed, which begins with the history.
func (n libraryNetwork) last() calendar.Date {
	return libraries.HistoryStart + calendar.Date(n.days) - 1
}

// generate writes the feed, unless a former run left it. A load refuses days that are yet to come.
func (n libraryNetwork) generate(ctx context.Context) error {
	if today := calendar.Day(time.Now()); n.last() >= today {
		return fmt.Errorf("%d days from %v on are not over; give at most %d", n.days, libraries.HistoryStart, int(today-libraries.HistoryStart))
	}
	return n.feedOf(ctx, n.feed(), "libraries", "--users", fmt.Sprint(n.readers), "--days", fmt.Sprint(n.days))
}

// measure loads the network into a new database of the engine and times the routes.
func (n libraryNetwork) measure(ctx context.Context, engine string, sql bool, doc *document) error {
	db, err := n.newDatabase(ctx, engine, fmt.Sprintf("lectern_bench_libraries_%d", n.readers))
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"migrate"}, {"library", "create", "bench", "--name", "Bench"}} {
		if _, _, err := n.lectern(ctx, append(args, "--db", db)...); err != nil {
			return err
		}
	}
	b := libraryBench{network: n, db: db, sql: map[string]time.Duration{}}
	b.table = doc.table(fmt.Sprintf("libraries, %s, %d readers, %d days", engine, n.readers, n.days))
	if err := b.load(ctx); err != nil {
		return err
	}
	if b.key, err = b.issue(ctx); err != nil {
		return err
	}
	if err := b.choose(ctx); err != nil {
		return err
	}
	if err := b.baselines(ctx, sql && engine == "postgres"); err != nil {
		return err
	}
	if err := b.summaries(ctx); err != nil {
		return err
	}
	return b.lists(ctx)
}

// libraryBench is the measuring of one loaded database.
type libraryBench struct {
	network libraryNetwork
	db      string
	table   *table
	key     string
	rate    float64                  // events a second of the first load
	sql     map[string]time.Duration // of summaries by name, where the baseline was measured
	state   string                   // the one that most readers live in
	library string                   // the one that most readers belong to
}

// load times the load of the feed, and of the same feed again.
func (b *libraryBench) load(ctx context.Context) error {
	args := []string{"load", "libraries", "--library", "bench", b.network.feed(), "--db", b.db, "--now"}
	var rows, events int
	for _, what := range []string{"load", "the same feed again, with --now"} {
		out, used, err := b.network.lectern(ctx, args...)
		if err != nil {
			return err
		}
		if rows, events, err = loaded(out); err != nil {
			return err
		}
		rate := float64(events) / used.wall.Seconds()
		if b.rate == 0 {
			b.rate = rate
		}
		b.table.row(what, fmt.Sprintf("%d rows in %.1f s: %.0f/s", rows, used.wall.Seconds(), float64(rows)/used.wall.Seconds()),
			fmt.Sprintf("%d events: %.0f/s; %d MiB resident at most", events, rate, used.memory>>20))
	}
	size, err := databaseSize(ctx, b.db)
	b.table.row("size", fmt.Sprintf("%d MiB", size>>20), fmt.Sprintf("%.1f bytes an event", float64(size)/float64(events)))
	return err
}

// loaded reads the totals of a load: all rows, and those of what readers did.
func loaded(out []byte) (rows, events int, err error) {
	var files map[string]json.RawMessage
	if err := json.Unmarshal(out, &files); err != nil {
		return 0, 0, err
	}
	happenings := map[string]bool{
		"loans": true, "renewals": true, "reservations": true, "sessions": true, "previews": true, "activity": true, "suggestions": true,
	}
	for name, value := range files {
		var n struct{ Rows int }
		if value[0] != '{' { // a total, not a file
			continue
		}
		if err := json.Unmarshal(value, &n); err != nil {
			return 0, 0, err
		}
		rows += n.Rows
		if happenings[name] {
			events += n.Rows
		}
	}
	return rows, events, nil
}

// issue returns a key of the network.
func (b *libraryBench) issue(ctx context.Context) (string, error) {
	out, _, err := b.network.lectern(ctx, "key", "issue", "libraries", "--library", "bench", "--db", b.db)
	if err != nil {
		return "", err
	}
	var key struct{ APIKey string }
	return key.APIKey, json.Unmarshal(out, &key)
}

// serve starts a server that was not asked anything yet.
func (b *libraryBench) serve(ctx context.Context) (*serving, error) {
	return b.network.serve(ctx, b.db, b.key, "/api-platform/libraries/v1")
}

// choose finds the state and the library of most readers.
func (b *libraryBench) choose(ctx context.Context) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	if b.state, err = s.largest("state"); err != nil {
		return err
	}
	b.library, err = s.largest("library")
	return err
}

// largest returns the key of the group with most readers.
func (s *serving) largest(groupBy string) (key string, err error) {
	_, body, err := s.body("/summary?pageSize=100&groupBy=" + groupBy)
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct {
			Breakdown []struct {
				Key     *string
				Metrics struct{ RegisteredUsers int }
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", err
	}
	most := -1
	for _, g := range answer.Data.Breakdown {
		if g.Key != nil && g.Metrics.RegisteredUsers > most {
			key, most = *g.Key, g.Metrics.RegisteredUsers
		}
	}
	return key, nil
}
