// Package snapshot describes a tenant's data as numbered snapshots: nothing is overwritten while it can be read (G8).
//
// Every read names its snapshot by [Versions]. A load writes beside all readers, and its changes are visible only once it has
// published them, so nobody waits. Loaded events are kept as [Blocks], which a load writes through a [Writer]. Package
// snapshotdb keeps blocks and tables in a database.
//
// Values computed from a snapshot are kept in a [Cache]. Their keys begin with the tenant and name the snapshot, so an entry
// never has to be invalidated:
//
//	days, err := snapshot.Load(ctx, cache, snapshot.Key{Tenant: tenant, At: at, What: "days"}, readDays)
package snapshot

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"

	"github.com/lectern-dev/lectern/auth"
	"golang.org/x/sync/errgroup"
)

// Versions names one state of a tenant's data: the version of its registers, and the number of the load that made its facts.
type Versions struct{ Registers, Facts int64 }

// LoadsAfter is the span of the numbers of the loads that lie between a state's facts and later ones, whose own is the last.
func LoadsAfter(facts, later int64) Span { return Span{facts + 1, later + 1} }

// Cache keeps what a state's answers are computed from, bounded in bytes. Load returns the value of a key, made by load
// when it is not there; calls for one key at once make it once. A failed load keeps nothing. A value is never changed:
// goroutines share it.
type Cache interface {
	Load(ctx context.Context, key Key, load func(context.Context) (Value, error)) (Value, error)
}

// Key begins with the tenant by type, so that no value can be served to another. At has the versions that the value
// depends on, and zeros in place of the others.
type Key struct {
	Tenant auth.Tenant
	At     Versions
	What   string
}

// KeyOf returns the key of a value that depends on a snapshot and on the arguments: numbers, strings, bools, and pointers and structs
// of these. Pass a whole query as one argument, so that no filter is left out. A pointer counts as the value that it points to. All
// calls with the same what must have the same number of arguments, of the same types.
func KeyOf(t auth.Tenant, at Versions, what string, args ...any) Key {
	b := append(make([]byte, 0, 128), what...)
	for _, arg := range args {
		b = appendValue(b, reflect.ValueOf(arg))
	}
	return Key{t, at, string(b)}
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

// Value is a value that knows about how many bytes it holds.
type Value interface{ Bytes() int }

// Load returns the value of a key from the cache, made by load when it is not there. Without a cache it is always made.
// All values of one key must be of one type.
func Load[T Value](ctx context.Context, c Cache, key Key, load func(context.Context) (T, error)) (T, error) {
	if c == nil {
		return load(ctx)
	}
	v, err := c.Load(ctx, key, func(ctx context.Context) (Value, error) { return load(ctx) })
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}

// Guard runs f and makes an error of a panic. On a goroutine that no request waits on, a panic would end the process.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// Parallel runs the parts of a report at the same time, each guarded, and returns the first error. It cancels the other parts then.
func Parallel(ctx context.Context, parts ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		group.Go(func() error { return Guard(func() error { return part(ctx) }) })
	}
	return group.Wait()
}
