package progress

import (
	"bytes"
	"log/slog"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// messages returns the messages of a log.
func messages(log *bytes.Buffer) (lines []string) {
	for _, m := range regexp.MustCompile(`"msg":"([^"]*)"`).FindAllStringSubmatch(log.String(), -1) {
		lines = append(lines, m[1])
	}
	return lines
}

// TestLog tests that without a terminal a load logs its progress every minute, and at once that it waits for another load.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := New(&log, slog.New(slog.NewJSONHandler(&log, nil)))
		for range 80 {
			p.Show("read", 1_200_000_000, 3_000_000_000)
			time.Sleep(time.Second)
		}
		p.Show(Wait, 0, 0)
		p.Show(Wait, 0, 0)
		p.Show("merge", 0, 256)
		time.Sleep(64 * time.Second)
		p.Show("merge", 64, 256)
		p.Finish()
		want := []string{
			"read: 1.2 GB of 3.0 GB (40 %), 1m32s left",
			"another load or a directory write is under way: waiting until it has ended",
			"merge: 64 of 256 (25 %), 3m12s left",
		}
		if lines := messages(&log); !slices.Equal(lines, want) {
			t.Errorf("messages = %q, want %q", lines, want)
		}
	})
}

// TestTerminal tests that a stage is one line that is rewritten, and that it remains when the next stage begins.
func TestTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := New(nil, nil)
		p.terminal = &screen
		p.Show("read", 0, 2000)
		p.Show("read", 500, 2000) // too soon to be written
		time.Sleep(time.Second)
		p.Show("read", 2000, 2000)
		p.Show("merge", 0, 4)
		p.Finish()
		const end = "\x1b[K"
		want := "\rread: 0 B of 2.0 kB" + end + "\rread: 2.0 kB of 2.0 kB (100 %), 0s left" + end + "\n" + "\rmerge: 0 of 4" + end + "\n"
		if screen.String() != want {
			t.Errorf("the terminal has %q, want %q", screen.String(), want)
		}
	})
}
