package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// A round asks what has changed in a list since an earlier state (H14), whose copy the client has. Blocks and rows that no load
// between the two states has touched are the same in both, so that only the others are compared.

// then is the access to the earlier state. Its hour is not known, and not asked for.
func (a Access) then(since state.Versions) Access {
	return Access{Network: a.Network, At: since}
}

// changedSince answers one page of a round: changed finds the rows, read reads those that are still there, and gone makes of a key the
// row that has it alone. What was found is kept under a name and the question.
func changedSince[Q, T any](ctx context.Context, r *Reports, a Access, since state.Versions, q Q, p paging.Page, l roundOf[T]) (List[T], error) {
	k := key(a, l.name+" since", since.Facts, since.Registers, a.At.Registers, q)
	changed, err := state.Load(ctx, r.Cache, k, l.changed)
	if err != nil {
		return List[T]{}, err
	}
	rows, removed, err := round.Read(changed.Page(p), func(kept round.Rows) ([]T, error) { return l.read(ctx, kept) }, l.gone)
	return List[T]{Hour: a.Hour, Rows: rows, Total: int64(len(changed)), Removed: removed}, err
}

// roundOf says how the round of a list is made.
type roundOf[T any] struct {
	name    string
	changed func(context.Context) (round.Rows, error)
	read    func(context.Context, round.Rows) ([]T, error)
	gone    func(round.Row) T
}

// EngagementsSince answers one page of a round of the engagements.
func (r *Reports) EngagementsSince(ctx context.Context, a Access, since state.Versions, q DayQuery, p paging.Page) (List[Engagement], error) {
	q.Period = r.since(q.Period)
	return changedSince(ctx, r, a, since, q, p, roundOf[Engagement]{
		name:    "engagements",
		changed: func(ctx context.Context) (round.Rows, error) { return r.engagementsChanged(ctx, a, since, q) },
		read: func(ctx context.Context, kept round.Rows) ([]Engagement, error) {
			return r.engagementsOf(ctx, a, kept)
		},
		gone: func(c round.Row) Engagement {
			return Engagement{Day: calendar.Date(c.A), Reader: c.B}
		},
	})
}

// engagementsChanged compares the days whose sheets differ, one by one.
func (r *Reports) engagementsChanged(ctx context.Context, a Access, since state.Versions, q DayQuery) (round.Rows, error) {
	days, err := r.Store.Changed(ctx, a, state.LoadsAfter(since.Facts, a.At.Facts), facts.ReaderSheetKind)
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	for _, day := range slices.Compact(days) {
		if !q.Period.Contains(calendar.Date(day)) {
			continue
		}
		was, err := r.engagementsOn(ctx, a.then(since), calendar.Date(day), q.Reader)
		if err != nil {
			return nil, err
		}
		now, err := r.engagementsOn(ctx, a, calendar.Date(day), q.Reader)
		if err == nil {
			err = round.Diff(&changed, was, now, func(e Engagement) round.Row { return round.Row{A: int64(e.Day), B: e.Reader} },
				func(x, y Engagement) bool { return x == y })
		}
		if err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// engagementsOn returns the rows of a day, or that of one reader.
func (r *Reports) engagementsOn(ctx context.Context, a Access, day calendar.Date, reader *int64) ([]Engagement, error) {
	sheets, err := r.Store.Sheets(ctx, a, ReaderSheets, calendar.Period{Start: day, End: day})
	data := sheets[day]
	if err != nil || data == nil {
		return nil, err
	}
	if reader != nil {
		return engagements.find(day, data, *reader)
	}
	sheet, ids, err := openReaders(data)
	if err != nil {
		return nil, err
	}
	return cutEngagements(day, sheet, ids, 0, len(ids))
}

// engagementsOf returns the rows of keys, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, keys round.Rows) ([]Engagement, error) {
	var rows []Engagement
	for len(keys) > 0 {
		day := keys[0].A
		all, err := r.engagementsOn(ctx, a, calendar.Date(day), nil)
		if err != nil {
			return nil, err
		}
		for ; len(keys) > 0 && keys[0].A == day; keys = keys[1:] {
			i, found := slices.BinarySearchFunc(all, keys[0].B, func(e Engagement, id int64) int { return cmp.Compare(e.Reader, id) })
			if found {
				rows = append(rows, all[i])
			}
		}
	}
	return rows, nil
}

// UsersSince answers one page of a round of the users.
func (r *Reports) UsersSince(ctx context.Context, a Access, since state.Versions, q UserQuery, p paging.Page) (List[User], error) {
	return changedSince(ctx, r, a, since, q, p, roundOf[User]{
		name:    "users",
		changed: func(ctx context.Context) (round.Rows, error) { return r.usersChanged(ctx, a, since, q) },
		read: func(ctx context.Context, kept round.Rows) ([]User, error) {
			titles, err := r.catalogue(ctx, a)
			if err != nil {
				return nil, err
			}
			readers, err := r.readers(ctx, a)
			if err != nil {
				return nil, err
			}
			ids := make([]int64, len(kept))
			for i, c := range kept {
				ids[i] = c.A
			}
			return r.userRows(ctx, a, titles, readers, ids)
		},
		gone: func(c round.Row) User { return User{Reader: &libraries.Reader{ID: c.A}} },
	})
}

// usersChanged compares the readers whose attributes stand in blocks that differ; of the others it takes those whose own row was
// replaced, or that have a term which was named anew. Rows of the register are not compared: one whose e-mail was erased in both
// states is listed too, which a copy has. Where what erased e-mails was withdrawn, which a new version of the registers says, nothing
// tells whose they were, and all readers are listed.
func (r *Reports) usersChanged(ctx context.Context, a Access, since state.Versions, q UserQuery) (round.Rows, error) {
	loads := state.LoadsAfter(since.Facts, a.At.Facts)
	now, err := r.readers(ctx, a)
	if err != nil {
		return nil, err
	}
	blocks, err := r.Store.Changed(ctx, a, loads, facts.AttributesKind)
	if err != nil {
		return nil, err
	}
	blocks = slices.Compact(blocks)
	was, err := r.Store.ReadersOf(ctx, a.then(since), blocks)
	if err != nil {
		return nil, err
	}
	ids, err := r.Store.Replaced(ctx, a, loads, ReaderRows)
	if err != nil {
		return nil, err
	}
	named, err := r.Store.Replaced(ctx, a, loads, NamedTerms)
	if err != nil {
		return nil, err
	}
	c := usersCompared{was: was, now: now, blocks: blocks, q: q}
	c.before, c.after = was.passes(q), now.passes(q)
	for _, id := range was.IDs {
		if _, known := now.Rank(id); !known {
			ids = append(ids, id)
		}
	}
	for rank, id := range now.IDs {
		if since.Registers != a.At.Registers || c.apart(rank) || now.hasTerm(rank, named) {
			ids = append(ids, id)
		}
	}
	return c.round(ids)
}

// usersCompared are the readers of two states: all of now, and those of some blocks of then.
type usersCompared struct {
	was, now      *Readers
	before, after func(rank int) bool
	blocks        []int64
	q             UserQuery
}

// apart reports whether what is shown of a reader of now, besides the own row, is not what it was.
func (c *usersCompared) apart(rank int) bool {
	id := c.now.IDs[rank]
	if _, found := slices.BinarySearch(c.blocks, facts.Block(id)); !found {
		return false
	}
	then, ok := c.was.Rank(id)
	return !ok || c.was.loans[then] != c.now.loans[rank] || c.before(then) != c.after(rank)
}

// round makes the round of readers that may differ, in any order, and of others.
func (c *usersCompared) round(ids []int64) (round.Rows, error) {
	slices.Sort(ids)
	var changed round.Rows
	for _, id := range slices.Compact(ids) {
		if c.q.Reader != nil && *c.q.Reader != id {
			continue
		}
		var err error
		rank, known := c.now.Rank(id)
		then, was := c.was.Rank(id)
		switch {
		case known && c.after(rank):
			err = changed.Add(round.Row{A: id})
		case was && c.before(then):
			err = changed.Add(round.Row{A: id, Removed: true})
		}
		if err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// hasTerm reports whether a reader's library or age group is one of the terms, which ascend.
func (r *Readers) hasTerm(rank int, terms []int64) bool {
	if len(terms) == 0 {
		return false
	}
	_, library := slices.BinarySearch(terms, r.libraries.values[r.libraries.at[rank]])
	_, group := slices.BinarySearch(terms, r.ageGroups.values[r.ageGroups.at[rank]])
	return library || group
}
