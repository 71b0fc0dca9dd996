package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a long command is. On a terminal it is a bar for each stage, with rate and remaining time; elsewhere
// nothing, or of a load a line in the log every so often.
type progress struct {
	w   io.Writer // nil where it is no terminal
	bar *progressbar.ProgressBar

	// Of a load alone: what it waits for is told once it has waited for patience, and where w is no terminal, where it stands,
	// every logEvery.
	log  *zerolog.Logger
	stop chan struct{}
	ends sync.WaitGroup

	mu          sync.Mutex
	stage       string
	done, total int64
	since       time.Time // when the stage began
	waits       string    // what the load waits for
	told        bool      // that was told
}

const (
	logEvery = time.Minute
	patience = 2 * time.Second
)

// newProgress shows the progress of a command on a terminal.
func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		w = nil
	}
	return &progress{w: w}
}

// newLoadProgress shows the progress of a load on a terminal, or in the log. It must be finished.
func newLoadProgress(w io.Writer, load string) *progress {
	p := newProgress(w)
	log := newLog(w, zerolog.InfoLevel).With().Str("load", load).Logger()
	p.log, p.stop = &log, make(chan struct{})
	p.ends.Go(p.watch)
	return p
}

// isTerminal reports whether a writer is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// stageWait is the stage of a load that waits for its turn to write.
const stageWait = "wait"

// stageMove is what the stages begin with in which rows of a former table move.
const stageMove = "move "

// show shows that a stage has done so much of its total: bytes of a feed that is read, else what the stage counts.
func (p *progress) show(stage string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stage != p.stage {
		p.clear()
		p.stage, p.since, p.told, p.waits = stage, time.Now(), false, ""
		if stage == stageWait {
			p.waits = "another load or a directory write is under way: waiting until it has ended"
		}
	}
	p.done, p.total = min(done, total), total
	if p.w == nil || stage == stageWait {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total, append(unit(stage), progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond))...)
	}
	p.bar.Set64(p.done)
}

// unit returns how a bar counts the things of a stage, and shows how many there are in a second.
func unit(stage string) []progressbar.Option {
	counts := func(what string) []progressbar.Option {
		return []progressbar.Option{progressbar.OptionShowIts(), progressbar.OptionSetItsString(what)}
	}
	switch {
	case stage == "read":
		return []progressbar.Option{progressbar.OptionShowBytes(true)}
	case stage == "settle", stage == "fold":
		return counts("parts")
	case stage == "generate":
		return counts("days of users")
	case strings.HasPrefix(stage, stageMove):
		return counts("rows")
	}
	return counts("steps")
}

// say shows a line on its own.
func (p *progress) say(line string) {
	switch {
	case p.w != nil:
		io.WriteString(p.w, line+"\n")
	case p.log != nil:
		p.log.Info().Msg(line)
	}
}

// watch tells what becomes of a load, until it is finished.
func (p *progress) watch() {
	soon, often := time.NewTicker(patience), time.NewTicker(logEvery)
	defer soon.Stop()
	defer often.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-soon.C:
			p.tellWait()
		case <-often.C:
			p.tell()
		}
	}
}

// tellWait tells once what a load has been waiting for.
func (p *progress) tellWait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits != "" && !p.told && time.Since(p.since) >= patience {
		p.told = true
		p.say(p.waits)
	}
}

// tell tells the log where a load stands.
func (p *progress) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.w != nil || p.stage == "":
	case p.waits != "":
		p.say(p.waits)
	default:
		p.say(standing(p.stage, p.done, p.total, time.Since(p.since)))
	}
}

// standing says where a stage stands that has taken so long: "read: 1.2 GB of 2.7 GB (44 %), 120 MB/s, 12s left".
func standing(stage string, done, total int64, took time.Duration) string {
	count := func(n float64) string { return fmt.Sprintf("%.0f", n) }
	of, rate := " of %s parts", "parts"
	switch {
	case stage == "read":
		count, of, rate = bytesOf, " of %s", ""
	case strings.HasPrefix(stage, stageMove):
		of, rate = " of %s rows", "rows"
	}
	text := stage + ": " + count(float64(done)) + fmt.Sprintf(of, count(float64(total)))
	if total > 0 {
		text += fmt.Sprintf(" (%d %%)", 100*done/total)
	}
	if done == 0 || took <= 0 {
		return text
	}
	perSecond := float64(done) / took.Seconds()
	if rate == "" {
		text += ", " + count(perSecond) + "/s"
	} else {
		text += fmt.Sprintf(", %.1f %s/s", perSecond, rate)
	}
	left := time.Duration(float64(total-done) / perSecond * float64(time.Second))
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

// clear leaves the bar as it stands and goes to the next line.
func (p *progress) clear() {
	if p.bar == nil {
		return
	}
	p.bar.Exit()
	io.WriteString(p.w, "\n")
	p.bar = nil
}

// finish ends the progress: what stands on a terminal stays.
func (p *progress) finish() {
	if p.stop != nil {
		close(p.stop)
		p.ends.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
