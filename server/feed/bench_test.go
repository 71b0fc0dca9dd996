package feed_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/feed"
)

type segment struct {
	id       [64]byte
	book     int64
	start    time.Time
	ms       int64
	from, to int64
	n        int
}

var segmentFields = []feed.Field{
	{Name: "segmentId", Required: true}, {Name: "account", Required: true}, {Name: "bookId", Required: true}, {Name: "startedAt", Required: true},
	{Name: "durationMs", Required: true}, {Name: "from"}, {Name: "to"}, {Name: "wpm"},
}

func parseSegment(r *feed.Row, s *segment) {
	copy(s.id[:], r.ID(0))
	s.n = len(r.Bytes(1)) + len(r.Number(7))
	s.book, s.start, s.ms, s.from, s.to = r.Int(2), r.Time(3), r.Int(4), r.Int(5), r.Int(6)
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

// BenchmarkRead reads segments, parse included; rows/s is what counts.
func BenchmarkRead(b *testing.B) {
	for _, form := range []string{"ndjson", "csv"} {
		b.Run(form, func(b *testing.B) {
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "segments."+form), segmentFile(form), 0o600); err != nil {
				b.Fatal(err)
			}
			folder, err := feed.Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			file, _ := folder.File("segments")
			b.SetBytes(file.Size())
			n := 0
			for b.Loop() {
				n = 0
				err := feed.Read(context.Background(), file, segmentFields, parseSegment, func(*segment, feed.Pos) error { n++; return nil }, nil)
				if err != nil || n != benchRows {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
