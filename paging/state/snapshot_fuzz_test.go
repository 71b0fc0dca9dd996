package state_test

import (
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/paging/state"
)

// FuzzParseSnapshot holds a snapshot to three laws: what was given to a tenant is read back; only that very text is, so that none can
// be altered; and no other tenant and no other secret reads it.
func FuzzParseSnapshot(f *testing.F) {
	secret := []byte("the tenant's secret")
	f.Add(int64(1), int64(1<<32), int32(20000), int64(7), "")
	f.Add(int64(-1), int64(0), int32(-1), int64(0), state.Snapshot{Of: 3}.Text(7, secret))
	f.Add(int64(-1), int64(0), int32(-1), int64(0), state.Snapshot{Of: 3}.Text(7, secret)+"\n")
	f.Fuzz(func(t *testing.T, registers, facts int64, of int32, tenant int64, text string) {
		s := state.Snapshot{Versions: state.Versions{Registers: registers, Facts: facts}, Of: of}
		made := s.Text(state.Tenant(tenant), secret)
		if got, err := state.ParseSnapshot(made, state.Tenant(tenant), secret); err != nil || got != s {
			t.Errorf("%q reads %+v, %v, want %+v", made, got, err, s)
		}
		for _, other := range []struct {
			tenant int64
			secret string
		}{{tenant + 1, string(secret)}, {tenant, "another"}} {
			if got, err := state.ParseSnapshot(made, state.Tenant(other.tenant), []byte(other.secret)); !errors.Is(err, state.ErrSnapshot) {
				t.Errorf("another reads %q as %+v, %v", made, got, err)
			}
		}
		if got, err := state.ParseSnapshot(text, state.Tenant(tenant), secret); err == nil && got.Text(state.Tenant(tenant), secret) != text {
			t.Errorf("%q reads as %+v, whose text is %q", text, got, got.Text(state.Tenant(tenant), secret))
		}
	})
}
