package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a long command is, one bar for each stage, with rate and remaining time. It writes to a
// terminal alone: a pipe or a file gets nothing.
type progress struct {
	w     io.Writer // nil where there is nobody to see it
	stage string
	bar   *progressbar.ProgressBar
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w}
}

// isTerminal reports whether a writer is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// show shows that a stage has done so much of its total, in whatever unit.
func (p *progress) show(stage string, done, total int64) {
	if p.w == nil {
		return
	}
	if p.bar == nil || stage != p.stage {
		p.finish()
		p.stage = stage
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.Set64(done)
}

// say shows a line on its own.
func (p *progress) say(line string) {
	if p.w == nil {
		return
	}
	p.finish()
	io.WriteString(p.w, line+"\n")
}

// finish leaves the bar as it stands and goes to the next line.
func (p *progress) finish() {
	if p.bar == nil {
		return
	}
	p.bar.Exit()
	io.WriteString(p.w, "\n")
	p.bar = nil
}
