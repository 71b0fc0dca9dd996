package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// Read reads a file's rows: it calls parse for each, on several goroutines at once, and then sink, on the caller's
// goroutine and in the file's order. The value that parse fills is zero at first; sink may keep a copy of it, not the
// pointer.
//
// A row's first fault goes to bad as a [*RowError] in place of sink: one of syntax, a required field that is null,
// what parse has found, or what sink returns as [Bad]. When bad returns nil the row is skipped; its error ends the
// read, as does any other error of sink. A nil bad ends it at the first such row.
//
// What leaves no row to skip is returned without asking bad, with file and line like the rest: a header that is wrong,
// a file that cannot be read on, and a name of a member or a column that is neither a field nor to be ignored (see
// [Folder.Ignore]), as an [*UnknownError]. When ctx is done Read returns its error. Whatever Read has started has ended when
// it returns.
func Read[T any](ctx context.Context, file *File, fields []Field, parse func(*Row, *T), sink func(*T, Pos) error, bad func(*RowError) error) error {
	if bad == nil {
		bad = func(e *RowError) error { return e }
	}
	s, err := file.stream()
	if err != nil {
		return err
	}
	defer s.Close()
	l := &layout{file: file, fields: fields, splitter: splitter{r: s, csv: file.csv, line: 1}}
	if err := l.begin(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := newPipe(l, parse)
	defer p.wait()
	defer cancel()
	p.start(ctx)
	return p.drain(ctx, sink, bad)
}

// layout is how a file's rows are cut and how their cells are found.
type layout struct {
	file     *File
	fields   []Field
	splitter splitter
	header   csvParser
}

// parser turns the bytes of one row into the row's cells; ok is false for a line that is no row.
type parser interface {
	parse(line []byte, r *Row) (ok bool, wrong *fault)
}

// parser returns one for a goroutine of its own.
func (l *layout) parser() parser {
	if l.file.csv {
		return &csvParser{columns: l.header.columns, width: l.header.width}
	}
	return newJSONParser(l.fields, l.file.folder.ignored)
}

// begin reads what stands before the rows: a byte-order mark, and the header of CSV.
func (l *layout) begin() error {
	var mark [3]byte
	n, err := io.ReadFull(l.splitter.r, mark[:])
	switch {
	case ended(err):
		l.splitter.eof = true
	case err != nil:
		return l.failed(err)
	}
	if string(mark[:n]) != "\ufeff" {
		l.splitter.rest = append(l.splitter.rest, mark[:n]...)
	}
	if !l.file.csv {
		return nil
	}
	header, line, err := l.splitter.first()
	switch {
	case errors.Is(err, io.EOF):
		return &RowError{File: l.file.name, Line: line, Reason: "has no header"}
	case err != nil:
		return fmt.Errorf("%s line %d: %w", l.file.name, line, err)
	}
	if wrong := l.header.header(header, l.fields, l.file.folder.ignored); wrong != nil {
		return l.fatal(wrong, line)
	}
	return nil
}

// fatal returns the error of a fault that leaves no row to skip.
func (l *layout) fatal(f *fault, line int) error {
	if len(f.unknown) > 0 {
		return newUnknownError(Pos{l.file.name, line}, f.unknown, l.fields)
	}
	return f.at(Pos{l.file.name, line})
}

// failed says where the file could not be read on.
func (l *layout) failed(err error) error {
	return fmt.Errorf("%s line %d: %w", l.file.name, l.splitter.line, err)
}

// batch is a piece of a file on its way from the splitter through a worker to the caller.
type batch[T any] struct {
	data    []byte
	rows    []span
	results []result[T]
	err     error         // why the file ends after this batch, but for its end
	parsed  chan struct{} // receives when results are complete
}

// result is what became of one row.
type result[T any] struct {
	value T
	line  int
	wrong *fault
}

// pipe carries batches: one goroutine cuts them, workers parse them, the caller's goroutine takes them in order. There
// is a fixed number of batches, which bounds the memory; no channel is ever full but for want of a free batch.
type pipe[T any] struct {
	layout  *layout
	parse   func(*Row, *T)
	workers int
	free    chan *batch[T] // to be filled
	work    chan *batch[T] // to be parsed
	order   chan *batch[T] // in the file's order, parsed or soon to be
	running sync.WaitGroup
}

func newPipe[T any](l *layout, parse func(*Row, *T)) *pipe[T] {
	workers := runtime.GOMAXPROCS(0)
	n := 2*workers + 2
	p := &pipe[T]{
		layout: l, parse: parse, workers: workers,
		free: make(chan *batch[T], n), work: make(chan *batch[T], n), order: make(chan *batch[T], n),
	}
	for range n {
		p.free <- &batch[T]{parsed: make(chan struct{}, 1)}
	}
	return p
}

// start starts the goroutines. They end after the file's end or when ctx is done.
func (p *pipe[T]) start(ctx context.Context) {
	p.running.Go(func() { p.cut(ctx) })
	for range p.workers {
		p.running.Go(func() { p.worker(ctx) })
	}
}

// wait returns when the goroutines have ended.
func (p *pipe[T]) wait() { p.running.Wait() }

// cut fills batches until the file ends.
func (p *pipe[T]) cut(ctx context.Context) {
	defer close(p.work)
	defer close(p.order)
	for {
		var b *batch[T]
		select {
		case b = <-p.free:
		case <-ctx.Done():
			return
		}
		var err error
		b.data, b.rows, err = p.layout.splitter.fill(b.data, b.rows)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			b.err = p.layout.failed(err)
		}
		p.order <- b
		p.work <- b
		if err != nil {
			return
		}
	}
}

// worker parses batches until there are no more. When ctx is done nobody looks at the results.
func (p *pipe[T]) worker(ctx context.Context) {
	r := &Row{fields: p.layout.fields, cells: make([][]byte, len(p.layout.fields)), csv: p.layout.file.csv}
	lines := p.layout.parser()
	for b := range p.work {
		b.results = b.results[:0]
		if ctx.Err() == nil {
			p.parseBatch(b, r, lines)
		}
		b.parsed <- struct{}{}
	}
}

// parseBatch parses the rows of one batch.
func (p *pipe[T]) parseBatch(b *batch[T], r *Row, lines parser) {
	for _, s := range b.rows {
		if s.bad != "" {
			b.results = append(b.results, result[T]{line: s.line, wrong: &fault{reason: s.bad}})
			continue
		}
		r.reset(s.line)
		ok, wrong := lines.parse(b.data[s.from:s.to], r)
		if !ok {
			continue
		}
		b.results = append(b.results, result[T]{line: s.line, wrong: wrong})
		if wrong != nil {
			wrong.value = shown(b.data[s.from:s.to], false)
			continue
		}
		last := &b.results[len(b.results)-1]
		if r.require(); !r.Bad() {
			p.parse(r, &last.value)
		}
		last.wrong = r.wrong
	}
}

// drain gives the results to sink and bad, in the file's order.
func (p *pipe[T]) drain(ctx context.Context, sink func(*T, Pos) error, bad func(*RowError) error) error {
	for b := range p.order {
		<-b.parsed
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range b.results {
			if err := p.settle(&b.results[i], sink, bad); err != nil {
				return err
			}
		}
		if b.err != nil {
			return b.err
		}
		p.free <- b
	}
	return ctx.Err()
}

// settle gives one result to sink or to bad.
func (p *pipe[T]) settle(r *result[T], sink func(*T, Pos) error, bad func(*RowError) error) error {
	at := Pos{File: p.layout.file.name, Line: r.line}
	if r.wrong != nil && len(r.wrong.unknown) > 0 {
		return p.layout.fatal(r.wrong, r.line)
	}
	if r.wrong == nil {
		err := sink(&r.value, at)
		if err == nil {
			return nil
		}
		if r.wrong = asFault(err); r.wrong == nil {
			return err
		}
	}
	return bad(r.wrong.at(at))
}
