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

// said returns the messages of a log.
func said(log *bytes.Buffer) (lines []string) {
	for _, m := range regexp.MustCompile(`"msg":"([^"]*)"`).FindAllStringSubmatch(log.String(), -1) {
		lines = append(lines, m[1])
	}
	return lines
}

// TestLoadInTheLog: where there is no terminal, a load says every minute where it stands or what it waits for, and of a wait
// for its turn at once, but not of one that is over in no time.
func TestLoadInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := New(&log, slog.New(slog.NewJSONHandler(&log, nil)))
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		p.Show("read", 0, 3_000_000_000)
		pass(30 * time.Second)
		p.Show("read", 1_200_000_000, 3_000_000_000)
		pass(29 * time.Second)
		p.mu.Lock() // of what is written to the log
		lines := said(&log)
		p.mu.Unlock()
		if len(lines) != 0 {
			t.Errorf("in the first minute: %q, want nothing", lines)
		}
		pass(time.Second)
		p.Show("wait", 0, 0)
		pass(time.Second)
		p.Show("fold", 0, 256)
		pass(19 * time.Second)
		p.Show("fold", 64, 256)
		pass(40 * time.Second)
		p.Show("wait", 0, 0)
		pass(70 * time.Second)
		p.Finish()
		pass(time.Hour)
		busy := "another load or a directory write is under way: waiting until it has ended"
		want := []string{
			"read: 1.2 GB of 3.0 GB (40 %), 20 MB/s, 1m30s left",
			"fold: 64 of 256 parts (25 %), 1.1 parts/s, 2m57s left",
			busy, busy,
		}
		if lines := said(&log); !slices.Equal(lines, want) {
			t.Errorf("said %q, want %q", lines, want)
		}
	})
}

func TestStanding(t *testing.T) {
	for _, tt := range []struct {
		stage       string
		done, total int64
		want        string
	}{
		{"read", 0, 999, "read: 0 B of 999 B (0 %)"},
		{"read", 1, 1000, "read: 1 B of 1.0 kB (0 %), 0 B/s, 2h46m30s left"},
		{"read", 99_949_999, 123_456_789, "read: 100 MB of 123 MB (80 %), 10 MB/s, 2s left"},
		{"settle", 128, 256, "settle: 128 of 256 parts (50 %), 12.8 parts/s, 10s left"},
	} {
		if got := (stage{name: tt.stage, done: tt.done, total: tt.total}).text(10 * time.Second); got != tt.want {
			t.Errorf("text of %s, %d of %d = %q, want %q", tt.stage, tt.done, tt.total, got, tt.want)
		}
	}
}

// TestTerminal: a stage is one line that is written anew, and stands when the next one begins.
func TestTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := New(nil, nil)
		p.terminal = &screen
		p.Show("read", 0, 2000)
		p.Show("read", 500, 2000) // too soon to be written
		time.Sleep(time.Second)
		p.Show("read", 2000, 2000)
		p.Show("fold", 0, 4)
		p.Finish()
		const end = "\x1b[K"
		want := "\rread: 0 B of 2.0 kB (0 %)" + end + "\rread: 2.0 kB of 2.0 kB (100 %), 2.0 kB/s, 0s left" + end + "\n" + "\rfold: 0 of 4 parts (0 %)" + end + "\n"
		if screen.String() != want {
			t.Errorf("the terminal has %q, want %q", screen.String(), want)
		}
	})
}
