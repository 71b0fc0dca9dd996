package libraries

import (
	"cmp"
	"context"
)

// ChannelDays answers the sessions by channel: every row of the period, by date, then channel. The error is ErrChannels
// where their source does not answer. Nothing is kept here: a source that is slow keeps its own good answers (L13).
func (r *Reports) ChannelDays(ctx context.Context, a Access, q ChannelQuery) (List[ChannelDay], error) {
	return listed(a, func() (leaf[ChannelDay], error) {
		source := cmp.Or(r.Channels, ChannelSource(r.Store))
		days, err := source.Channels(ctx, a, q.Period)
		if err != nil {
			return leaf[ChannelDay]{}, err
		}
		var rows []ChannelDay
		for _, d := range days {
			if q.Channel == 0 || d.Channel == q.Channel {
				rows = append(rows, d)
			}
		}
		return leaf[ChannelDay]{rows, int64(len(rows))}, nil
	})
}
