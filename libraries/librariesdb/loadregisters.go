package librariesdb

import (
	"context"

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
	return replace(ctx, l, channelsTable, in.PutChannels, func(c libraries.ChannelDay) key { return key{int64(c.Channel), int64(c.Day)} }, channelValues)
}
