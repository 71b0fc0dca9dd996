package feed_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

// segment is a row of segments, its texts not copied.
type segment struct {
	id, account []byte
	book        int64
	start       time.Time
	ms          int64
	from, to    int64
	wpm         []byte
}

func (s *segment) Fields(w *row.Walk) {
	row.ID(w, "segmentId", &s.id, row.Required)
	row.Bytes(w, "account", &s.account, row.Required)
	row.Int(w, "bookId", &s.book, row.Required)
	row.Instant(w, "startedAt", &s.start, row.Required)
	row.Int(w, "durationMs", &s.ms, row.Required)
	row.IntOrNone(w, "from", &s.from)
	row.IntOrNone(w, "to", &s.to)
	row.Number(w, "wpm", &s.wpm)
}

const benchRows = 200_000

func segmentFile(form string) []byte {
	var b bytes.Buffer
	if form == "csv" {
		b.WriteString("segmentId,account,bookId,startedAt,durationMs,from,to,wpm\n")
	}
	for i := range benchRows {
		format := `{"segmentId":"s-aluno-%06d-%d","account":"aluno-%06d","bookId":%d,"startedAt":"2026-03-04T19:03:04-03:00","durationMs":%d,"from":%d,"to":%d,"wpm":612.5}` + "\n"
		if form == "csv" {
			format = "s-aluno-%06d-%d,aluno-%06d,%d,2026-03-04T19:03:04-03:00,%d,%d,%d,612.5\n"
		}
		fmt.Fprintf(&b, format, i%5000, i, i%5000, i%60, 1000+i%40000, i%100000, i%100000+200)
	}
	return b.Bytes()
}

// BenchmarkRecords reads segments; rows/s is what counts.
func BenchmarkRecords(b *testing.B) {
	for _, form := range []string{"ndjson", "csv"} {
		b.Run(form, func(b *testing.B) {
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "segments."+form), segmentFile(form), 0o600); err != nil {
				b.Fatal(err)
			}
			folder, err := feed.Open(os.DirFS(dir))
			if err != nil {
				b.Fatal(err)
			}
			file, _ := folder.File("segments")
			b.SetBytes(folder.Size())
			n := 0
			for b.Loop() {
				n = 0
				err := readEach(context.Background(), file, func(segment, int) error { n++; return nil }, nil)
				if err != nil || n != benchRows {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
