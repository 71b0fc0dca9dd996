package report

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Round asks what has changed in a report since an earlier state (H14), whose copy the client has. A period that ends today was
// another one then: Was is the effective period of that state's day. Users have neither.
type Round struct {
	Since       state.Versions // not above those of the access
	Was, Period calendar.Period
	Filter      Filter
}

// then is the access to the earlier state.
func (q Round) then(a Access) Access {
	a.At = q.Since
	return a
}

// loads are those that lie between the two states.
func (q Round) loads(a Access) state.Span { return state.LoadsAfter(q.Since.Facts, a.At.Facts) }

// key names a value that depends on the two states and the question.
func (q Round) key(a Access, what string) state.Key {
	return a.key(fmt.Sprintf("%s since %d %d %s %s %s %s %s", what, q.Since.Registers, q.Since.Facts,
		q.Was.Start, q.Was.End, q.Period.Start, q.Period.End, a.filter(q.Filter)))
}

// UsersSince answers one page of a round of the users.
func (r *Reports) UsersSince(ctx context.Context, a Access, q Round, p paging.Page) (List[User], error) {
	changed, err := state.Load(ctx, r.Cache, q.key(a, "users"), func(ctx context.Context) (round.Rows, error) { return r.usersChanged(ctx, a, q) })
	if err != nil {
		return List[User]{}, err
	}
	read := func(page round.Rows) ([]User, error) {
		reg, _, err := r.selection(ctx, a, q.Filter)
		if err != nil {
			return nil, err
		}
		ids := make([]directory.UserID, len(page))
		for i, c := range page {
			ids[i] = directory.UserID(c.A)
		}
		return r.userRows(ctx, a, reg, ids)
	}
	return pageOf(changed, p, read, func(c round.Row) User { return User{ID: directory.UserID(c.A)} })
}

// pageOf returns a page of a round.
func pageOf[T any](changed round.Rows, p paging.Page, read func(round.Rows) ([]T, error), gone func(round.Row) T) (List[T], error) {
	rows, removed, err := round.Read(changed.Page(p), read, gone)
	return List[T]{Rows: rows, Total: int64(len(changed)), Removed: removed}, err
}

// usersChanged compares the users of both states. What an account's own row has is not compared: it was written, or it is the same.
// So one whose e-mail was erased in both states is listed too, which a copy has.
func (r *Reports) usersChanged(ctx context.Context, a Access, q Round) (round.Rows, error) {
	now, nowUsers, err := r.selection(ctx, a, q.Filter)
	if err != nil {
		return nil, err
	}
	was, wasUsers, err := r.selection(ctx, q.then(a), q.Filter)
	if err != nil {
		return nil, err
	}
	written, err := r.Store.Written(ctx, a.Partner, q.Since.Registers, a.At.Registers)
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	err = round.Diff(&changed, wasUsers.IDs, nowUsers.IDs,
		func(id directory.UserID) round.Row { return round.Row{A: int64(id)} },
		func(id, _ directory.UserID) bool {
			_, wrote := slices.BinarySearch(written, id)
			return !wrote && was.user(id, Person{}).equal(now.user(id, Person{}))
		})
	return changed.Sorted(), err
}

// equal reports whether two rows say the same.
func (u User) equal(v User) bool {
	same := equalUnits(u.School, v.School) && equalUnits(u.Class, v.Class)
	u.School, u.Class, v.School, v.Class = nil, nil, nil, nil
	return same && u == v
}

func equalUnits(x, y *Unit) bool { return x == y || x != nil && y != nil && *x == *y }

// EngagementsSince answers one page of a round of the engagements.
func (r *Reports) EngagementsSince(ctx context.Context, a Access, q Round, p paging.Page) (List[Engagement], error) {
	changed, err := state.Load(ctx, r.Cache, q.key(a, "engagements"), func(ctx context.Context) (round.Rows, error) {
		return r.engagementsChanged(ctx, a, q)
	})
	if err != nil {
		return List[Engagement]{}, err
	}
	read := func(page round.Rows) ([]Engagement, error) { return r.engagementsOf(ctx, a, page) }
	return pageOf(changed, p, read, func(c round.Row) Engagement {
		return Engagement{Date: calendar.Date(c.A), UserID: directory.UserID(c.B)}
	})
}

// access is what a state knows of who came when, as far as a question asks for it.
type access struct {
	Access
	users *Users
	days  facts.Attendance
}

// access reads what a state knows of who came when in a period.
func (r *Reports) access(ctx context.Context, a Access, f Filter, period calendar.Period) (access, error) {
	v := access{Access: a}
	var all *facts.Attendance
	err := state.Together(
		func() (err error) { _, v.users, err = r.selection(ctx, a, f); return err },
		func() (err error) { all, err = r.attendance(ctx, a); return err },
	)
	if err == nil {
		v.days = all.In(period)
	}
	return v, err
}

// set returns the users of a day.
func (v *access) set(day calendar.Date) facts.Set {
	if i, found := slices.BinarySearch(v.days.Days, day); found {
		return v.days.Sets[i]
	}
	return facts.Set{}
}

// engagementsChanged compares the days of both states, one by one. Of a day that has the same users, and whose minutes no load has
// replaced, the minutes are not read.
func (r *Reports) engagementsChanged(ctx context.Context, a Access, q Round) (round.Rows, error) {
	now, err := r.access(ctx, a, q.Filter, q.Period)
	if err != nil {
		return nil, err
	}
	was, err := r.access(ctx, q.then(a), q.Filter, q.Was)
	if err != nil {
		return nil, err
	}
	replaced := map[calendar.Date]bool{}
	err = r.Store.Replaced(ctx, state.Tenant(a.Partner), facts.MinutesKind, q.loads(a), func(k state.BlockKey) error {
		replaced[calendar.Date(k.A)] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	days := slices.Concat(was.days.Days, now.days.Days)
	slices.Sort(days)
	for _, day := range slices.Compact(days) {
		if !replaced[day] && was.set(day).Equal(now.set(day)) && was.users.Set.Equal(now.users.Set) {
			continue
		}
		if err := r.dayChanged(ctx, &changed, day, was, now); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// dayChanged adds what differs on a day.
func (r *Reports) dayChanged(ctx context.Context, changed *round.Rows, day calendar.Date, was, now access) error {
	before, err := r.dayRows(ctx, day, was)
	if err != nil {
		return err
	}
	after, err := r.dayRows(ctx, day, now)
	if err != nil {
		return err
	}
	return round.Diff(changed, before, after, engagementKey, func(x, y Engagement) bool { return x == y })
}

func engagementKey(e Engagement) round.Row {
	return round.Row{A: int64(e.Date), B: int64(e.UserID)}
}

// dayRows returns the rows of a day.
func (r *Reports) dayRows(ctx context.Context, day calendar.Date, v access) ([]Engagement, error) {
	set := v.set(day)
	rows := make([]Engagement, 0, set.Common(v.users.Set))
	if cap(rows) == 0 {
		return nil, nil
	}
	minutes, err := r.minutesOf(ctx, v.Access, day, set)
	if err != nil {
		return nil, err
	}
	for rank, id := range set.Ranked(v.users.Set, 0) {
		rows = append(rows, Engagement{day, id, minutes.At(rank)})
	}
	return rows, nil
}

// engagementsOf returns the rows of the keys of a page, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, page round.Rows) ([]Engagement, error) {
	all, err := r.attendance(ctx, a)
	if err != nil {
		return nil, err
	}
	rows := make([]Engagement, 0, len(page))
	for len(page) > 0 {
		day, wanted := calendar.Date(page[0].A), facts.Set{}
		for len(page) > 0 && page[0].A == int64(day) {
			wanted.Add(directory.UserID(page[0].B))
			page = page[1:]
		}
		v := access{a, &Users{Set: wanted}, all.In(calendar.Period{Start: day, End: day})}
		of, err := r.dayRows(ctx, day, v)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
	}
	return rows, nil
}

// ReadingsSince answers one page of a round of the readings.
func (r *Reports) ReadingsSince(ctx context.Context, a Access, q Round, p paging.Page) (List[Reading], error) {
	changed, err := state.Load(ctx, r.Cache, q.key(a, "readings"), func(ctx context.Context) (round.Rows, error) { return r.readingsChanged(ctx, a, q) })
	if err != nil {
		return List[Reading]{}, err
	}
	read := func(page round.Rows) ([]Reading, error) {
		books, err := r.books(ctx, a)
		if err != nil {
			return nil, err
		}
		keys := make([]facts.RecordKey, len(page))
		for i, c := range page {
			keys[i] = facts.RecordKey{User: directory.UserID(c.A), Book: c.B}
		}
		return r.rows(ctx, a, books, q.Period, keys)
	}
	return pageOf(changed, p, read, func(c round.Row) Reading {
		return Reading{UserID: directory.UserID(c.A), Book: &schools.Book{ID: c.B}}
	})
}

// read is what a state knows of who read what, as far as a question asks for it.
type read struct {
	users   *Users
	ledgers *facts.Ledgers
	period  calendar.Period
}

// read reads what a state knows of who read what in a period.
func (r *Reports) read(ctx context.Context, a Access, f Filter, period calendar.Period) (read, error) {
	v := read{period: period}
	return v, state.Together(
		func() (err error) { _, v.users, err = r.selection(ctx, a, f); return err },
		func() (err error) { v.ledgers, err = r.ledgers(ctx, a); return err },
	)
}

// books returns the books of a user's rows, ascending.
func (v *read) books(id directory.UserID) ([]facts.RecordKey, error) {
	if !v.users.Set.Has(id) {
		return nil, nil
	}
	books, err := v.ledgers.Ledger(id).Books(v.period)
	if err != nil {
		return nil, fmt.Errorf("ledger of user %d: %w", id, err)
	}
	keys := make([]facts.RecordKey, len(books))
	for i, book := range books {
		keys[i] = facts.RecordKey{User: id, Book: book}
	}
	return keys, nil
}

// rewritten is what loads have replaced: a row of the same days stands as it was unless it is of these.
type rewritten struct {
	records []facts.RecordKey // ascending, some perhaps twice
	books   map[int64]bool
}

// rewritten reads what loads have replaced.
func (r *Reports) rewritten(ctx context.Context, a Access, loads state.Span) (w rewritten, err error) {
	books, err := r.Store.ReplacedBooks(ctx, a.Partner, loads)
	if err != nil {
		return w, err
	}
	w.books = make(map[int64]bool, len(books))
	for _, id := range books {
		w.books[id] = true
	}
	return w, r.Store.Replaced(ctx, state.Tenant(a.Partner), facts.RecordKind, loads, func(k state.BlockKey) error {
		if len(w.records) == round.Most {
			return round.ErrMany
		}
		w.records = append(w.records, facts.RecordKey{User: directory.UserID(k.A), Book: k.B})
		return nil
	})
}

// of reports whether something of a user may have been replaced.
func (w *rewritten) of(id directory.UserID) bool {
	i, _ := slices.BinarySearchFunc(w.records, facts.RecordKey{User: id}, facts.RecordKey.Compare)
	return len(w.books) > 0 || i < len(w.records) && w.records[i].User == id
}

// has reports whether a row's record or book was replaced.
func (w *rewritten) has(k facts.RecordKey) bool {
	_, found := slices.BinarySearchFunc(w.records, k, facts.RecordKey.Compare)
	return found || w.books[k.Book]
}

// readingsChanged compares the ledgers of both states, user by user. A row that stands in both is another where its record or its
// book was replaced, or where it was read on days that one period alone has. Users who have nothing of it are passed over.
func (r *Reports) readingsChanged(ctx context.Context, a Access, q Round) (round.Rows, error) {
	now, err := r.read(ctx, a, q.Filter, q.Period)
	if err != nil {
		return nil, err
	}
	was, err := r.read(ctx, q.then(a), q.Filter, q.Was)
	if err != nil {
		return nil, err
	}
	replaced, err := r.rewritten(ctx, a, q.loads(a))
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	users := slices.Concat(was.users.IDs, now.users.IDs)
	slices.Sort(users)
	for _, id := range slices.Compact(users) {
		same := was.users.Set.Has(id) == now.users.Set.Has(id) && q.Was == q.Period && !replaced.of(id) &&
			bytes.Equal(was.ledgers.Ledger(id), now.ledgers.Ledger(id))
		if same {
			continue
		}
		if err := q.userChanged(&changed, id, replaced, was, now); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// userChanged adds what differs of a user.
func (q Round) userChanged(changed *round.Rows, id directory.UserID, replaced rewritten, was, now read) error {
	before, err := was.books(id)
	if err != nil {
		return err
	}
	after, err := now.books(id)
	if err != nil {
		return err
	}
	apart, err := q.apart(now.ledgers.Ledger(id))
	if err != nil {
		return fmt.Errorf("ledger of user %d: %w", id, err)
	}
	return round.Diff(changed, before, after,
		func(k facts.RecordKey) round.Row { return round.Row{A: int64(k.User), B: k.Book} },
		func(k, _ facts.RecordKey) bool { return !replaced.has(k) && !slices.Contains(apart, k.Book) })
}

// apart returns the books that were read on days which one of the two periods alone has.
func (q Round) apart(l facts.Ledger) ([]int64, error) {
	if q.Was == q.Period {
		return nil, nil
	}
	before, err := l.Books(calendar.Period{Start: min(q.Was.Start, q.Period.Start), End: max(q.Was.Start, q.Period.Start) - 1})
	if err != nil {
		return nil, err
	}
	after, err := l.Books(calendar.Period{Start: min(q.Was.End, q.Period.End) + 1, End: max(q.Was.End, q.Period.End)})
	return append(before, after...), err
}
