package authdb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
)

// Raise makes the next version of the registers, of the facts, or of both the present one, in a transaction that has locked
// the tenant's row, and returns the versions as they are then.
func Raise(ctx context.Context, tx bun.IDB, t auth.Tenant, registers, facts bool) (Versions, error) {
	h, err := Lock(ctx, tx, t)
	if err != nil {
		return Versions{}, err
	}
	if registers {
		h.Registers = NextNumber(h.Registers)
	}
	if facts {
		h.Facts = NextNumber(h.Facts)
	}
	return h.Versions, h.Hold(ctx, tx, t, time.Now())
}
