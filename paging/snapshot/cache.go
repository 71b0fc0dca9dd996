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

// Cache keeps the values that answers are computed from, bounded in bytes. Load returns the value of a key, and makes
// it with load if it is missing. Concurrent calls for one key make it once. An error is not kept. A value must not be
// changed: goroutines share it.
type Cache interface {
	Load(ctx context.Context, key Key, load func(context.Context) (Value, error)) (Value, error)
}

// Key begins with the tenant by type, so that no value can be served to another tenant. At has the versions that the
// value depends on, and zeros in place of the others.
type Key struct {
	Tenant auth.Tenant
	At     Versions
	What   string
}

// KeyOf returns the key of a value that depends on a snapshot and on the arguments: numbers, strings, bools, and
// pointers and structs of these. Pass a whole query as one argument, so that no filter is left out. A pointer counts as
// the value that it points to. All calls with the same what must have the same number of arguments, of the same types.
func KeyOf(t auth.Tenant, at Versions, what string, args ...any) Key {
	b := append(make([]byte, 0, 128), what...)
	for _, arg := range args {
		b = appendValue(b, reflect.ValueOf(arg))
	}
	return Key{t, at, string(b)}
}

// appendValue appends a value as a word, and a struct as the words of its fields. The word nil differs from any number,
// bool or quoted string.
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
	return strconv.AppendInt(b, v.Int(), 10) // panics for a kind that KeyOf does not allow
}

// Value is a value that reports about how many bytes it uses.
type Value interface{ Bytes() int }

// Load returns the value of a key from the cache, and makes it with load if it is missing. Without a cache it always
// makes the value. All values of one key must be of one type.
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

// Guard runs f and turns a panic into an error. A panic on a goroutine that no request waits on would end the process.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// Parallel runs the parts of a report concurrently, each guarded. It returns the first error, and cancels the other
// parts then.
func Parallel(ctx context.Context, parts ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		group.Go(func() error { return Guard(func() error { return part(ctx) }) })
	}
	return group.Wait()
}
