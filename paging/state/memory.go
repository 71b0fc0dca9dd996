package state

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// Memory is Blocks in memory, and the rows of other tables, for a program without a database and for tests. The zero Memory is
// empty and ready; it is safe for concurrent use. It keeps every state.
type Memory struct {
	mu      sync.RWMutex
	tenants map[Tenant]*remembered
}

// remembered is what is kept of a tenant.
type remembered struct {
	number int64                      // of the facts that hold
	last   int64                      // number that was given out
	tables map[string][]rememberedRow // by key, then since
}

type rememberedRow struct {
	key          []int64
	values       []any // of the table's key and columns
	since, until int64
}

func (r rememberedRow) compare(key []int64) int { return slices.Compare(r.key, key) }

// Now returns the number of the facts that hold, 0 before the first load.
func (m *Memory) Now(t Tenant) int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r := m.tenants[t]; r != nil {
		return r.number
	}
	return 0
}

// Rows yields the rows of a table whose life is wanted, by key: the values of the key's columns and of the others, which are not to be
// changed. A life is from the load that put a row in to before the one that took it out: one that contains a load's number is of
// that state. It begins with the first row whose key is not below from.
func (m *Memory) Rows(t Tenant, table *Table, wanted func(life Span) bool, from ...int64) iter.Seq[[]any] {
	m.mu.RLock()
	var rows []rememberedRow
	if had := m.tenants[t]; had != nil {
		rows = had.tables[table.Name]
	}
	m.mu.RUnlock() // what a load changes it copies
	return func(yield func([]any) bool) {
		first, _ := slices.BinarySearchFunc(rows, from, rememberedRow.compare)
		for _, r := range rows[first:] {
			if wanted(Span{r.since, r.until}) && !yield(r.values) {
				return
			}
		}
	}
}

// At wants the rows of a state.
func At(number int64) func(life Span) bool {
	return func(life Span) bool { return life.Contains(number) }
}

// TakenOut wants the rows that loads have taken out.
func (s Span) TakenOut(life Span) bool { return s.Contains(life.End) }

// PutIn wants the rows that loads have put in.
func (s Span) PutIn(life Span) bool { return s.Contains(life.From) }

// Scan implements Blocks.
func (m *Memory) Scan(_ context.Context, t Tenant, at int64, k Kind, r Range, visit func(Block) error) error {
	from := []int64{int64(k.Number)}
	if r.A != (Span{}) {
		from = append(from, r.A.From)
	}
	for row := range m.Rows(t, BlocksTable, At(at), from...) {
		b := Block{BlockKey{row[1].(int64), row[2].(int64)}, row[3].(int32), row[4].(int32), row[5].([]byte)}
		if row[0] != int64(k.Number) || r.A != (Span{}) && b.A >= r.A.End {
			break
		}
		if !r.A.Contains(b.A) || !r.B.Contains(b.B) || !r.Overlaps(b.Lo, b.Hi) {
			continue
		}
		if r.Among != nil {
			if _, found := slices.BinarySearch(r.Among, b.A); !found {
				continue
			}
		}
		data, err := Unseal(t, k, b)
		if err != nil {
			return err
		}
		if err := visit(Block{b.BlockKey, b.Lo, b.Hi, data}); err != nil {
			return err
		}
	}
	return nil
}

// Replaced implements Blocks.
func (m *Memory) Replaced(_ context.Context, t Tenant, k Kind, loads Span, visit func(BlockKey) error) error {
	for row := range m.Rows(t, BlocksTable, loads.TakenOut, int64(k.Number)) {
		if row[0] != int64(k.Number) {
			break
		}
		if err := visit(BlockKey{row[1].(int64), row[2].(int64)}); err != nil {
			return err
		}
	}
	return nil
}

// Load begins a load, which Hold makes hold. Of two loads of a tenant at once the second to hold fails.
func (m *Memory) Load(t Tenant) *MemoryLoad {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tenants == nil {
		m.tenants = map[Tenant]*remembered{}
	}
	r := m.tenants[t]
	if r == nil {
		r = &remembered{last: First, tables: map[string][]rememberedRow{}}
		m.tenants[t] = r
	}
	r.last += 1 + rand.Int64N(Step)
	return &MemoryLoad{Memory: m, tenant: t, number: r.last, base: r.number, tables: map[string][]rememberedRow{}}
}

// MemoryLoad is a load into a Memory: a Writer.
type MemoryLoad struct {
	*Memory
	tenant       Tenant
	number, base int64
	tables       map[string][]rememberedRow // those written to, as they will be
}

// Tenant implements Writer.
func (l *MemoryLoad) Tenant() Tenant { return l.tenant }

// Base implements Writer.
func (l *MemoryLoad) Base() int64 { return l.base }

// Write implements Writer.
func (l *MemoryLoad) Write(_ context.Context, changes ...Change) error {
	for _, c := range changes {
		rows, begun := l.tables[c.Table.Name]
		if !begun {
			l.mu.RLock()
			rows = slices.Clone(l.tenants[l.tenant].tables[c.Table.Name])
			l.mu.RUnlock()
		}
		l.tables[c.Table.Name] = l.change(rows, c)
	}
	return nil
}

// change returns the rows of a table as the load leaves them.
func (l *MemoryLoad) change(rows []rememberedRow, c Change) []rememberedRow {
	for _, key := range c.Gone {
		i, _ := slices.BinarySearchFunc(rows, key, rememberedRow.compare)
		for ; i < len(rows) && rows[i].compare(key) == 0; i++ {
			if rows[i].until == Open {
				rows[i].until = l.number
			}
		}
	}
	if c.Put == nil {
		return rows
	}
	for values := range c.Put {
		r := rememberedRow{values: slices.Clone(values), since: l.number, until: Open}
		for i, v := range r.values {
			if data, ok := v.([]byte); ok {
				r.values[i] = slices.Clone(data)
			}
			if i < len(c.Table.Key) {
				r.key = append(r.key, v.(int64))
			}
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(x, y rememberedRow) int { return cmp.Or(x.compare(y.key), cmp.Compare(x.since, y.since)) })
	return rows
}

// ErrLost says that a load may write no more: another has taken over.
var ErrLost = errors.New("another load has taken over; nothing of this one was kept: run it again")

// Hold makes the load's state the present one and returns its number. The error is ErrLost where another load came first.
func (l *MemoryLoad) Hold() (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.tenants[l.tenant]
	if r.number != l.base {
		return 0, ErrLost
	}
	maps.Copy(r.tables, l.tables)
	r.number = l.number
	return l.number, nil
}
