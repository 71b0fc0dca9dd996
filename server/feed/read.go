package feed

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/lectern-dev/lectern/paging/row"
)

// reading is one read of a file, which makes a T of each row. One goroutine cuts batches of rows, several parse them,
// and the caller's takes them in order. The number of batches is fixed, which bounds the memory. A channel has room
// for all batches, so only a lack of free ones makes a goroutine wait.
type reading[T any] struct {
	file   *File
	fields row.Schema
	// fill returns a function that fills a T from cells. Each goroutine has cells of its own.
	fill func(*cells) func(*T)
	// take gets each good row, and bad each faulty one: see [Records].
	take func(v *T, line int) error
	bad  func(*RowError) error

	splitter *splitter
	header   csvParser
	free     chan *batch[T] // to be filled
	work     chan *batch[T] // to be parsed
	order    chan *batch[T] // in the file's order, parsed or soon to be
}

// parser splits one row into cells. ok is false for an empty line. The error is a *RowError or an *UnknownError.
type parser interface {
	parse(line []byte, c *cells) (ok bool, wrong error)
}

// batch is a piece of a file on its way from the splitter through a worker to the caller.
type batch[T any] struct {
	data    []byte
	rows    []span
	results []result[T]
	err     error         // why the file cannot be read beyond this batch
	parsed  chan struct{} // receives when results are complete
}

// batchSize is the number of bytes of rows that are parsed together. It is large enough that passing a batch to
// another goroutine costs nothing in comparison.
const batchSize = 256 << 10

// span is one row of a batch: its bytes, or the reason why there are none, and its line.
type span struct {
	from, to int
	line     int
	bad      string
}

// result is the result of parsing one row.
type result[T any] struct {
	made  T
	line  int
	wrong error // a *RowError or an *UnknownError, without its place
}

// run reads the file. All goroutines that it starts end before it returns.
func (r *reading[T]) run(ctx context.Context) error {
	from, end, err := r.file.stream()
	if err != nil {
		return err
	}
	defer end()
	r.splitter = newSplitter(from, r.file.csv)
	if r.file.csv {
		if err := r.begin(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	n := 2*workers + 2
	r.free, r.work, r.order = make(chan *batch[T], n), make(chan *batch[T], n), make(chan *batch[T], n)
	for range n {
		r.free <- &batch[T]{parsed: make(chan struct{}, 1)}
	}
	running.Go(func() { r.cut(ctx) })
	for range workers {
		running.Go(func() { r.parse(ctx) })
	}
	return r.deliver(ctx)
}

// begin reads the header of CSV.
func (r *reading[T]) begin() error {
	s := r.splitter
	for s.Scan() {
		at := Pos{r.file.name, s.line}
		switch {
		case s.bad != "":
			return placed(whole("the header: %s", s.bad), at)
		case len(s.Bytes()) > 0:
			return placed(r.header.header(s.Bytes(), r.fields, r.file.folder.ignored), at)
		}
	}
	if err := r.failed(); err != nil {
		return err
	}
	return placed(whole("has no header"), Pos{r.file.name, s.next})
}

// failed returns the error that stopped the splitter before the end of the file, with its place, or nil.
func (r *reading[T]) failed() error {
	if err := r.splitter.Err(); err != nil {
		return fmt.Errorf("%s line %d: %w", r.file.name, r.splitter.next, err)
	}
	return nil
}

// cut fills batches until the file ends.
func (r *reading[T]) cut(ctx context.Context) {
	defer close(r.work)
	defer close(r.order)
	for ended := false; !ended; {
		var b *batch[T]
		select {
		case b = <-r.free:
		case <-ctx.Done():
			return
		}
		s := r.splitter
		b.data, b.rows = b.data[:0], b.rows[:0]
		for n := 0; n < batchSize && !ended; n += len(s.Bytes()) + 1 {
			if ended = !s.Scan(); ended || len(s.Bytes()) == 0 && s.bad == "" {
				continue // empty lines are skipped in both forms
			}
			b.data = append(b.data, s.Bytes()...)
			b.rows = append(b.rows, span{len(b.data) - len(s.Bytes()), len(b.data), s.line, s.bad})
		}
		if ended {
			b.err = r.failed()
		}
		r.order <- b
		r.work <- b
	}
}

// parse parses batches until there are no more. After ctx has ended the results are not used.
func (r *reading[T]) parse(ctx context.Context) {
	w := r.worker()
	for b := range r.work {
		if b.results = b.results[:0]; ctx.Err() != nil {
			b.rows = nil
		}
		for i, s := range b.rows {
			b.results = append(b.results, result[T]{line: s.line})
			if n := len(b.results) - 1; !w.row(b, i, &b.results[n]) {
				b.results = b.results[:n]
			}
		}
		b.parsed <- struct{}{}
	}
}

// worker parses rows on a goroutine of its own.
type worker[T any] struct {
	parser parser
	cells  *cells
	fill   func(*T)
}

func (r *reading[T]) worker() worker[T] {
	c := &cells{fields: r.fields, list: make([][]byte, len(r.fields)), csv: r.file.csv}
	w := worker[T]{&csvParser{columns: r.header.columns, width: r.header.width}, c, r.fill(c)}
	if !r.file.csv {
		w.parser = newJSONParser(r.fields, r.file.folder.ignored)
	}
	return w
}

// row parses the i-th row of a batch into a result. ok is false for an empty line.
func (w worker[T]) row(b *batch[T], i int, to *result[T]) (ok bool) {
	s := b.rows[i]
	if s.bad != "" {
		to.wrong = whole("%s", s.bad)
		return true
	}
	text := b.data[s.from:s.to]
	if ok, to.wrong = w.parser.parse(text, w.cells); to.wrong != nil {
		if e, is := to.wrong.(*RowError); is {
			e.Value = shown(text, false)
		}
		return true
	}
	if !ok {
		return false
	}
	if w.cells.begin(s.line); w.cells.wrong == nil {
		w.fill(&to.made)
	}
	to.wrong = w.cells.wrong
	return true
}

// deliver passes the results to take and bad, in the file's order.
func (r *reading[T]) deliver(ctx context.Context) error {
	for b := range r.order {
		<-b.parsed
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range b.results {
			if err := r.deliverRow(&b.results[i]); err != nil {
				return err
			}
		}
		if b.err != nil {
			return b.err
		}
		r.free <- b
	}
	return ctx.Err()
}

// deliverRow passes one result to take or to bad.
func (r *reading[T]) deliverRow(one *result[T]) error {
	wrong := one.wrong
	if wrong == nil {
		err := r.take(&one.made, one.line)
		if err == nil {
			return nil
		}
		refused, ok := errors.AsType[*row.FaultError](err)
		if !ok {
			return err
		}
		wrong = &RowError{Field: refused.Field, Reason: refused.Reason}
	}
	wrong = placed(wrong, Pos{r.file.name, one.line})
	if bad, ok := wrong.(*RowError); ok && r.bad != nil {
		return r.bad(bad)
	}
	return wrong
}

// Record is a pointer to a row's type R, which declares its fields.
type Record[R any] interface {
	*R
	row.Row
}

// Records reads the rows of a file. Each row is filled, checked and taken by the functions of its [row.File]. Bytes
// of a row are valid until Check returns. Take and bad are called on the caller's goroutine, in the file's order.
//
// A row is faulty if its syntax is wrong, if a required field is null, if a field is not of its declared kind, or if
// Check or Take returns a [row.FaultError]. bad gets the first fault of each faulty row. If bad returns nil the row
// is skipped; an error ends the read. If bad is nil the first faulty row ends the read. Faults of the whole file end
// the read without a call of bad, with file and line: a wrong header, a file that cannot be read to its end, and an
// [*UnknownError] for a member or column that is neither a field nor ignored (see [Folder.Ignore]). If ctx ends,
// Records returns its error. All goroutines that it starts end before it returns.
func Records[R, V any, P Record[R]](ctx context.Context, file *File, to row.File[R, V], bad func(*RowError) error) error {
	type outcome struct {
		made V
		skip error
	}
	r := reading[outcome]{file: file, fields: row.Of(P(new(R))), bad: bad}
	r.fill = func(c *cells) func(*outcome) {
		record, walk := new(R), r.fields.Fill(c)
		return func(o *outcome) {
			var zero R
			*record = zero
			_ = walk.Over(P(record)) // its errors are in c.wrong
			if c.wrong != nil {
				return
			}
			if o.made, o.skip = to.Check(*record); o.skip == nil {
				return
			}
			if wrong, ok := errors.AsType[*row.FaultError](o.skip); ok {
				c.Fail(r.fields.Field(wrong.Field), wrong.Reason)
			}
		}
	}
	r.take = func(o *outcome, line int) error {
		if o.skip != nil {
			to.Skip(o.skip)
			return nil
		}
		return to.Take(o.made, line)
	}
	return r.run(ctx)
}
