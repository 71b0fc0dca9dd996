package librariesdb

import (
	"cmp"
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
)

// putRegisters writes what is new or changed in the registers that a load settles in memory.
func (l *load) putRegisters(ctx context.Context, in *libraries.Intake) error {
	for _, v := range libraries.Vocabularies() {
		err := replace(ctx, l, termsTable, in.PutTerms[v],
			func(t libraries.Term) key { return key{int64(v), t.ID} },
			func(n libraries.NetworkID, t libraries.Term) []any { return termValues(n, v, t) })
		if err != nil {
			return err
		}
	}
	err := replace(ctx, l, booksTable, in.PutBooks, func(b libraries.Book) key { return key{id: b.ID} }, bookValues)
	if err != nil {
		return err
	}
	err = replace(ctx, l, linesTable, in.PutLines, func(b libraries.BookLine) key { return key{id: b.Line.ID} }, lineValues)
	if err != nil {
		return err
	}
	err = replace(ctx, l, channelsTable, in.PutChannels, func(c libraries.ChannelDay) key { return key{int64(c.Channel), int64(c.Day)} }, channelValues)
	if err != nil {
		return err
	}
	return l.putEarlyLoans(ctx, in)
}

// putEarlyLoans writes the loans before the history that are new, and forgets those that are in it now.
func (l *load) putEarlyLoans(ctx context.Context, in *libraries.Intake) error {
	idKey := func(id int64) key { return key{id: id} }
	if err := l.forget(ctx, earlyLoansTable, keys(in.NoLongerEarly, idKey)); err != nil {
		return err
	}
	early := slices.SortedFunc(slices.Values(in.EarlyLoans), func(a, b libraries.Loan) int { return cmp.Compare(a.ID, b.ID) })
	early = slices.CompactFunc(early, func(a, b libraries.Loan) bool { return a.ID == b.ID })
	return replace(ctx, l, earlyLoansTable, early, func(e libraries.Loan) key { return idKey(e.ID) }, earlyLoanValues)
}
