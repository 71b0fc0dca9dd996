// Package progress shows how far a long command is: on a terminal a line that is written anew, elsewhere nothing, or of a load
// a line in the log every minute. The line is the same in both:
//
//	read: 1.2 GB of 2.7 GB (44 %), 120 MB/s, 12s left
package progress

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// Wait is the stage of a load that waits for its turn to write.
const Wait = "wait"

const (
	redraw   = 100 * time.Millisecond // a terminal's line
	logEvery = time.Minute
	patience = 2 * time.Second // after which a wait is told
)

// Progress shows the progress of one command, which must finish it.
type Progress struct {
	terminal io.Writer    // nil where there is none
	log      *slog.Logger // nil where nothing is logged: what a load waits for is told, and without a terminal where it stands
	stop     chan struct{}
	ends     sync.WaitGroup

	mu    sync.Mutex
	at    stage
	drawn time.Time // zero = the terminal has no line of this stage
	told  bool      // what is waited for was told
}

// stage is where a command stands.
type stage struct {
	name        string
	done, total int64
	since       time.Time
}

// New shows the progress of a command on w where that is a terminal, and in a log where one is given.
func New(w io.Writer, log *slog.Logger) *Progress {
	p := &Progress{log: log, stop: make(chan struct{})}
	if IsTerminal(w) {
		p.terminal = w
	}
	if log != nil {
		p.ends.Go(p.watch)
	}
	return p
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// NewLog logs what has at least a level, as text on a terminal and as JSON elsewhere: debug, info, warn, error or disabled.
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

// Show shows that a stage has done so much of its total: bytes of a feed that is read, else what the stage counts.
func (p *Progress) Show(name string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if name != p.at.name {
		p.leave()
		p.at, p.told = stage{name: name, since: time.Now()}, false
	}
	p.at.done, p.at.total = min(done, total), total
	if p.terminal == nil || name == Wait || time.Since(p.drawn) < redraw && done < total {
		return
	}
	p.drawn = time.Now()
	fmt.Fprintf(p.terminal, "\r%s\x1b[K", p.at.text(time.Since(p.at.since)))
}

// watch tells what becomes of a load, until it is finished.
func (p *Progress) watch() {
	soon, often := time.NewTicker(patience), time.NewTicker(logEvery)
	defer soon.Stop()
	defer often.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-soon.C:
			p.tell(false)
		case <-often.C:
			p.tell(true)
		}
	}
}

// tell tells once what a load has been waiting for, and the log, where it is asked to, where the load stands.
func (p *Progress) tell(standing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := time.Since(p.at.since)
	switch waits := p.at.name == Wait; {
	case p.at.name == "", !waits && !standing, waits && !standing && (p.told || took < patience):
	case p.terminal == nil:
		p.log.Info(p.at.text(took))
		p.told = waits
	case waits && !p.told:
		fmt.Fprintln(p.terminal, p.at.text(took))
		p.told = true
	}
}

// text says where a stage stands that has taken so long.
func (s stage) text(took time.Duration) string {
	count, things := func(n float64) string { return fmt.Sprintf("%.0f", n) }, " parts"
	switch {
	case s.name == Wait:
		return "another load or a directory write is under way: waiting until it has ended"
	case s.name == "read":
		count, things = bytesOf, ""
	case s.name == "generate":
		things = " days of users"
	}
	text := s.name + ": " + count(float64(s.done)) + " of " + count(float64(s.total)) + things
	if s.total > 0 {
		text += fmt.Sprintf(" (%d %%)", 100*s.done/s.total)
	}
	if s.done == 0 || took <= 0 {
		return text
	}
	perSecond := float64(s.done) / took.Seconds()
	if things == "" {
		text += ", " + count(perSecond) + "/s"
	} else {
		text += fmt.Sprintf(", %.1f%s/s", perSecond, things)
	}
	left := time.Duration(float64(s.total-s.done) / perSecond * float64(time.Second))
	return text + ", " + left.Round(time.Second).String() + " left"
}

// bytesOf writes a number of bytes with the unit that suits it: 999 B, 1.2 MB, 120 GB.
func bytesOf(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	for n >= 999.5 && len(units) > 1 {
		n, units = n/1000, units[1:]
	}
	if n < 9.95 && units[0] != "B" {
		return fmt.Sprintf("%.1f %s", n, units[0])
	}
	return fmt.Sprintf("%.0f %s", n, units[0])
}

// leave lets the line on the terminal stand and goes to the next one.
func (p *Progress) leave() {
	if !p.drawn.IsZero() {
		fmt.Fprintln(p.terminal)
	}
	p.drawn = time.Time{}
}

// Finish ends the progress: what stands on a terminal stays.
func (p *Progress) Finish() {
	close(p.stop)
	p.ends.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
}
