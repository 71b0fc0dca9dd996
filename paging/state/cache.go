package state

import "context"

// Cache keeps what a state's answers are computed from, bounded in bytes. Load returns the value of a key, made by load
// when it is not there; calls for one key at once make it once. A failed load keeps nothing. A value is never changed:
// goroutines share it.
type Cache interface {
	Load(ctx context.Context, key Key, load func(context.Context) (Value, error)) (Value, error)
}

// Key begins with the tenant by type, so that no value can be served to another. At has the versions that the value
// depends on, and zeros in place of the others.
type Key struct {
	Tenant Tenant
	At     Versions
	What   string
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
