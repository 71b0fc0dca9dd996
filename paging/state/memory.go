package state

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
)

// Memory is Blocks in memory, for a program without a database and for tests. The zero Memory is empty and ready; it is safe
// for concurrent use. It keeps every state.
type Memory struct {
	mu      sync.RWMutex
	tenants map[Tenant]*remembered
}

// remembered is what is kept of a tenant.
type remembered struct {
	number int64                     // of the facts that hold
	last   int64                     // number that was given out
	kinds  map[int16][]rememberedRow // by key, then since
}

type rememberedRow struct {
	Block
	since, until int64
}

func (r rememberedRow) compare(k BlockKey) int {
	return cmp.Or(cmp.Compare(r.A, k.A), cmp.Compare(r.B, k.B))
}

// Now returns the number of the facts that hold, 0 before the first load.
func (m *Memory) Now(t Tenant) int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r := m.tenants[t]; r != nil {
		return r.number
	}
	return 0
}

// Scan implements Blocks.
func (m *Memory) Scan(_ context.Context, t Tenant, at int64, k Kind, r Range, visit func(Block) error) error {
	for _, row := range m.rows(t, k) {
		if row.since > at || row.until <= at || !r.A.Contains(row.A) || !r.B.Contains(row.B) || !r.Overlaps(row.Lo, row.Hi) {
			continue
		}
		if r.Among != nil {
			if _, found := slices.BinarySearch(r.Among, row.A); !found {
				continue
			}
		}
		if err := visit(row.Block); err != nil {
			return err
		}
	}
	return nil
}

// Replaced implements Blocks.
func (m *Memory) Replaced(_ context.Context, t Tenant, k Kind, loads Span, visit func(BlockKey) error) error {
	for _, row := range m.rows(t, k) {
		if !loads.Contains(row.until) {
			continue
		}
		if err := visit(row.BlockKey); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the blocks of a kind, of all states.
func (m *Memory) rows(t Tenant, k Kind) []rememberedRow {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if had := m.tenants[t]; had != nil {
		return had.kinds[k.Number] // what a load changes it copies
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
		r = &remembered{last: First, kinds: map[int16][]rememberedRow{}}
		m.tenants[t] = r
	}
	r.last += 1 + rand.Int64N(Step)
	return &MemoryLoad{Memory: m, tenant: t, number: r.last, base: r.number, kinds: map[int16][]rememberedRow{}}
}

// MemoryLoad is a load into a Memory: a Writer.
type MemoryLoad struct {
	*Memory
	tenant       Tenant
	number, base int64
	kinds        map[int16][]rememberedRow // those written to, as they will be
}

// Tenant implements Writer.
func (l *MemoryLoad) Tenant() Tenant { return l.tenant }

// Base implements Writer.
func (l *MemoryLoad) Base() int64 { return l.base }

// Write implements Writer.
func (l *MemoryLoad) Write(_ context.Context, changes ...Change) error {
	for _, c := range changes {
		rows, begun := l.kinds[c.Kind.Number]
		if !begun {
			l.mu.RLock()
			rows = slices.Clone(l.tenants[l.tenant].kinds[c.Kind.Number])
			l.mu.RUnlock()
		}
		l.kinds[c.Kind.Number] = l.change(rows, c)
	}
	return nil
}

// change returns the rows of a kind as the load leaves them.
func (l *MemoryLoad) change(rows []rememberedRow, c Change) []rememberedRow {
	for _, key := range c.Gone {
		i, _ := slices.BinarySearchFunc(rows, key, rememberedRow.compare)
		for ; i < len(rows) && rows[i].BlockKey == key; i++ {
			if rows[i].until == Open {
				rows[i].until = l.number
			}
		}
	}
	for b := range c.Put {
		b.Data = slices.Clone(b.Data)
		rows = append(rows, rememberedRow{b, l.number, Open})
	}
	slices.SortFunc(rows, func(x, y rememberedRow) int { return cmp.Or(x.compare(y.BlockKey), cmp.Compare(x.since, y.since)) })
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
	for kind, rows := range l.kinds {
		r.kinds[kind] = rows
	}
	r.number = l.number
	return l.number, nil
}
