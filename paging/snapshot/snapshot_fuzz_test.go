package snapshot_test

import (
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

// FuzzParseSnapshot checks three properties: a tenant's snapshot is read back unchanged, no altered text is accepted,
// and no other tenant or secret reads it.
func FuzzParseSnapshot(f *testing.F) {
	secret := []byte("the tenant's secret")
	f.Add(int64(1), int64(1<<32), int32(20000), int64(7), "")
	f.Add(int64(-1), int64(0), int32(-1), int64(0), snapshot.Snapshot{Of: 3}.Text(snapshot.Query{1}, 7, secret))
	f.Add(int64(-1), int64(0), int32(-1), int64(0), snapshot.Snapshot{Of: 3}.Text(snapshot.Query{1}, 7, secret)+"\n")
	f.Fuzz(func(t *testing.T, registers, facts int64, of int32, tenant int64, text string) {
		s := snapshot.Snapshot{Versions: snapshot.Versions{Registers: registers, Facts: facts}, Of: of}
		query := snapshot.Query{byte(of), 7: byte(facts)}
		made := s.Text(query, auth.Tenant(tenant), secret)
		if got, q, err := snapshot.ParseSnapshot(made, auth.Tenant(tenant), secret); err != nil || got != s || q != query {
			t.Errorf("ParseSnapshot(%q) = %+v, %v, %v, want %+v, %v", made, got, q, err, s, query)
		}
		for _, other := range []struct {
			tenant int64
			secret string
		}{{tenant + 1, string(secret)}, {tenant, "another"}} {
			if got, _, err := snapshot.ParseSnapshot(made, auth.Tenant(other.tenant), []byte(other.secret)); !errors.Is(err, snapshot.ErrSnapshot) {
				t.Errorf("ParseSnapshot(%q) with another tenant or secret = %+v, %v, want ErrSnapshot", made, got, err)
			}
		}
		if got, q, err := snapshot.ParseSnapshot(text, auth.Tenant(tenant), secret); err == nil && got.Text(q, auth.Tenant(tenant), secret) != text {
			t.Errorf("ParseSnapshot(%q) = %+v, whose text is %q, want the same text", text, got, got.Text(q, auth.Tenant(tenant), secret))
		}
	})
}
