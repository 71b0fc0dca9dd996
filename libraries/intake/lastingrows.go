package intake

import (
	"context"
	"sync"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// lastingRows are the rows of the loans and reservations of a pile. What is written of them does not depend on what is folded, and
// takes a database longer than all else: so it is written beside, from the time on when all of them are there. They wait by their day
// and are written in the order of their tables: a million loans written by reader would touch every page of the table in every part.
type lastingRows struct {
	pile   spill.Pile
	record []byte // the last one: its room is used again

	one    sync.Mutex // whoever writes has the writer to itself
	cancel context.CancelFunc
	done   chan struct{} // nil before it is begun
	err    error
}

// The kinds of rows that wait, each in front of its row: of records that are new, and of those that take the place of another.
const (
	newLoanRow byte = iota
	loanRow
	newReservationRow
	reservationRow
)

// addLasting has the row of a record wait for its day. kind is that of new ones; behind it comes that of others.
func addLasting[T any](r *lastingRows, of lasting[T], v *T, kind byte, isNew bool) error {
	if !isNew {
		kind++
	}
	r.record = of.table.Append(append(r.record[:0], kind), v)
	return r.pile.Add(state.Slot(of.of(*v).day(), libraries.HistoryStart), r.record)
}

// turns is a writer that writes for one at a time.
type turns struct {
	state.Writer
	one *sync.Mutex
}

// Write implements state.Writer.
func (w turns) Write(ctx context.Context, changes ...state.Change) error {
	w.one.Lock()
	defer w.one.Unlock()
	return w.Writer.Write(ctx, changes...)
}

// begin begins to write the rows, unless that was begun before.
func (r *lastingRows) begin(ctx context.Context, w state.Writer) {
	if r.done != nil {
		return
	}
	ctx, r.cancel = context.WithCancel(ctx)
	r.done = make(chan struct{})
	go func() {
		defer close(r.done)
		r.err = r.write(ctx, turns{w, &r.one})
	}()
}

// wait returns when all rows are written.
func (r *lastingRows) wait() error {
	<-r.done
	return r.err
}

// stop ends the writing. Nothing is written any more when it returns.
func (r *lastingRows) stop() {
	if r.done != nil {
		r.cancel()
		<-r.done
	}
}

// write writes the rows, day by day.
func (r *lastingRows) write(ctx context.Context, w state.Writer) error {
	out := spill.Batch[state.Change]{Write: w.Write, Limit: r.pile.Batch()}
	defer out.Wait()
	if err := r.pile.Done(); err != nil {
		return err
	}
	for slot := range spill.Parts {
		data, err := r.pile.Part(slot)
		if err != nil {
			return err
		}
		rows, err := unpackLasting(data)
		if err != nil {
			return err
		}
		n := rows.loans.Len() + rows.reservations.Len()
		if n == 0 {
			continue
		}
		if err := out.Add(ctx, n*rowBytes, Loans.Change(rows.loans), Reservations.Change(rows.reservations)); err != nil {
			return err
		}
	}
	return out.Flush(ctx)
}

// lastingOfDays are the rows of the days of a slot.
type lastingOfDays struct {
	loans        state.Rows[libraries.Loan]
	reservations state.Rows[libraries.Reservation]
}

// unpackLasting unpacks the rows of the days of a slot, in the order of their tables.
func unpackLasting(data []byte) (rows lastingOfDays, err error) {
	d := packed.Bare(data)
	for d.Len() > 0 && !d.Bad() {
		switch k := d.Byte(); k {
		case newLoanRow, loanRow:
			rows.loans.Add(read(&d, Loans), k == loanRow)
		case newReservationRow, reservationRow:
			rows.reservations.Add(read(&d, Reservations), k == reservationRow)
		default:
			d.Check(false)
		}
	}
	rows.loans.Sort(loans.order)
	rows.reservations.Sort(reservations.order)
	return rows, endAside(&d)
}
