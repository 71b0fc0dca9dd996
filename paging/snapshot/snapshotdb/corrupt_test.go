package snapshotdb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestFlippedBits flips 250 bits, one at a time, in stored blocks and their keys. It tests that the scan then fails,
// and that the error names the tenant, the kind and the key.
func TestFlippedBits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, _ := newStore(t, db)
		r := rand.New(rand.NewPCG(8, 9))
		var blocks []snapshot.Block
		for i := range int64(8) {
			data := make([]byte, r.IntN(60))
			for j := range data {
				data[j] = byte(r.Uint32())
			}
			blocks = append(blocks, snapshot.Block{BlockKey: snapshot.BlockKey{A: i, B: 100 - i}, Data: data})
		}
		l, err := store.Begin(t.Context(), tenant, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(l.Write(t.Context(), snapshot.BlockChange(tenant, shelf, nil, slices.Values(blocks))), publish(t.Context(), l), l.Close(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := scan(t.Context(), store, tenant, l.Number(), shelf, snapshot.Range{})
		if err != nil {
			t.Fatal(err)
		}
		for range 250 {
			b := blocks[r.IntN(len(blocks))]
			sealed := snapshot.Seal(tenant, shelf, snapshot.Block{BlockKey: b.BlockKey, Data: slices.Clone(b.Data)})
			flipped, key := slices.Clone(sealed), b.BlockKey
			if r.IntN(5) == 0 {
				key.B ^= 1 << (7 + r.IntN(40)) // a key that no other block has
			} else {
				flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
			}
			set(t, db, b.BlockKey, key, flipped)
			got, err := scan(t.Context(), store, tenant, l.Number(), shelf, snapshot.Range{})
			if name := fmt.Sprintf("tenant %d, shelf %d/%d", tenant, key.A, key.B); !errors.Is(err, snapshot.ErrCorrupt) || !strings.Contains(err.Error(), name) {
				t.Fatalf("Scan with a flipped bit in block %v = %q, %v, want ErrCorrupt that names %s", b.BlockKey, got, err, name)
			}
			set(t, db, key, b.BlockKey, sealed)
		}
		if got, err := scan(t.Context(), store, tenant, l.Number(), shelf, snapshot.Range{}); err != nil || got != whole {
			t.Errorf("Scan with all bits restored = %q, %v, want %q", got, err, whole)
		}
	})
}

// set overwrites a block's bytes and its key.
func set(t *testing.T, db *database.DB, at, to snapshot.BlockKey, data []byte) {
	t.Helper()
	if _, err := db.NewRaw(`UPDATE blocks SET a = ?, b = ?, data = ? WHERE a = ? AND b = ?`, to.A, to.B, data, at.A, at.B).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}
