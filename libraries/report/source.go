package report

import (
	"cmp"
	"context"
	"reflect"
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// What reports are computed from is read once for each state of a network's data and kept in the cache.

// history returns the first day of the history.
func (r *Reports) history() calendar.Date { return cmp.Or(r.History, libraries.HistoryStart) }

// key returns the cache's key of a value that depends on the state of the access and on the arguments: numbers, texts, truths, and
// pointers and structs of such. A whole query is one, so that no filter can be left out. A pointer stands for what it points to;
// the arguments of one what must be as many always, and of the same types.
func key(a Access, what string, args ...any) state.Key {
	b := append(make([]byte, 0, 128), "libraries "+what...)
	for _, arg := range args {
		b = appendValue(b, reflect.ValueOf(arg))
	}
	return state.Key{Tenant: state.Tenant(a.Network), At: state.Versions{Facts: a.At.Facts}, What: string(b)}
}

// appendValue appends a value as a word, a struct as those of its fields. nil is a word that no number, truth or quoted text is.
func appendValue(b []byte, v reflect.Value) []byte {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		return b
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return appendValue(b, v.Elem())
	}
	b = append(b, ' ')
	switch {
	case v.Kind() == reflect.Pointer:
		return append(b, "nil"...)
	case v.Kind() == reflect.String:
		return strconv.AppendQuote(b, v.String())
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case v.CanUint():
		return strconv.AppendUint(b, v.Uint(), 10)
	}
	return strconv.AppendInt(b, v.Int(), 10) // panics for a kind that no query has
}

// readers returns the attributes of all readers.
func (r *Reports) readers(ctx context.Context, a Access) (*Readers, error) {
	return state.Load(ctx, r.Cache, key(a, "readers"), func(ctx context.Context) (*Readers, error) {
		return Folded{r.Store}.Readers(ctx, a)
	})
}

// catalogue returns the vocabularies, titles and lines.
func (r *Reports) catalogue(ctx context.Context, a Access) (*Catalogue, error) {
	return state.Load(ctx, r.Cache, key(a, "catalogue"), func(ctx context.Context) (*Catalogue, error) {
		return r.Store.Catalogue(ctx, a)
	})
}

// days returns the totals of all days.
func (r *Reports) days(ctx context.Context, a Access) (*facts.Days, error) {
	return state.Load(ctx, r.Cache, key(a, "days"), func(ctx context.Context) (*facts.Days, error) {
		return Folded{r.Store}.Days(ctx, a)
	})
}

// titleCounts returns what is counted now of the titles.
func (r *Reports) titleCounts(ctx context.Context, a Access) (facts.CountsByTitle, error) {
	return state.Load(ctx, r.Cache, key(a, "title counts"), func(ctx context.Context) (facts.CountsByTitle, error) {
		return Folded{r.Store}.TitleCounts(ctx, a)
	})
}
