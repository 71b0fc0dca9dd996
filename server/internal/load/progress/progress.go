// Package progress shows the progress of a command: on a terminal in a line that it rewrites, elsewhere in a line in the log every
// minute. Both lines are the same:
//
//	read: 1.2 GB of 2.7 GB (44 %), 12s left
package progress

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// Wait is the stage of a load that waits for another one.
const Wait = "wait"

const (
	redraw   = 100 * time.Millisecond // a terminal's line
	logEvery = time.Minute
)

// Progress shows the progress of one command.
type Progress struct {
	terminal io.Writer    // or nil
	log      *slog.Logger // or nil

	mu     sync.Mutex
	stage  string
	since  time.Time // the beginning of the stage
	next   time.Time // nothing is shown before
	inLine bool      // the terminal's line has no end yet
}

// New shows the progress of a command on w if that is a terminal, else in log if it is not nil.
func New(w io.Writer, log *slog.Logger) *Progress {
	p := &Progress{log: log, next: time.Now().Add(logEvery)}
	if IsTerminal(w) {
		p.terminal = w
	}
	return p
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// NewLog returns a log of records of at least a level: debug, info, warn, error or disabled. It writes text on a terminal, else JSON.
func NewLog(w io.Writer, level string) *slog.Logger {
	least, err := zerolog.ParseLevel(level)
	if err != nil {
		least = zerolog.InfoLevel
	}
	if IsTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	return slog.New(zerolog.NewSlogHandler(zerolog.New(w).Level(least)))
}

// Show shows how much of its total a stage has done: bytes of a feed in the stage read, else steps.
func (p *Progress) Show(stage string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	fresh := stage != p.stage
	if fresh {
		p.stage, p.since = stage, now
	}
	switch line := text(stage, done, total, now.Sub(p.since)); {
	case p.terminal != nil && (fresh || done >= total || now.After(p.next)):
		if fresh && p.inLine {
			fmt.Fprintln(p.terminal)
		}
		fmt.Fprintf(p.terminal, "\r%s\x1b[K", line)
		p.inLine, p.next = true, now.Add(redraw)
	case p.terminal == nil && p.log != nil && (fresh && stage == Wait || now.After(p.next)):
		p.log.Info(line)
		p.next = now.Add(logEvery)
	}
}

// text returns the line for a stage and the time that it has taken.
func text(stage string, done, total int64, took time.Duration) string {
	if stage == Wait {
		return "another load or a directory write is under way: waiting until it has ended"
	}
	count := func(n int64) string { return fmt.Sprint(n) }
	if stage == "read" {
		count = func(n int64) string { return humanize.Bytes(uint64(n)) }
	}
	done = min(done, total)
	line := stage + ": " + count(done) + " of " + count(total)
	if done > 0 {
		left := time.Duration(float64(took) * float64(total-done) / float64(done))
		line += fmt.Sprintf(" (%d %%), %s left", 100*done/total, left.Round(time.Second))
	}
	return line
}

// Finish ends the progress. The line on a terminal stays.
func (p *Progress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inLine {
		fmt.Fprintln(p.terminal)
	}
	p.inLine = false
}
