package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot"

	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// kinds are the kinds of blocks of both domains.
var kinds = slices.Concat(schoolsdb.Kinds, librariesdb.Kinds)

// TestFlippedBitsOfEveryKind flips a bit of one stored block after the other, of every kind, at random. Whoever reads it is told
// of a fault of the program, never another number, and the log names the tenant, the kind and the key; what no report reads stops
// a load. All kinds that are stored are tried.
func TestFlippedBitsOfEveryKind(t *testing.T) {
	flips := setting(t, "LECTERN_TEST_FLIPS", 3) // of each kind
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f, n := newFixture(t, db, server.Config{}), newNetwork(t, db, server.Config{})
		f.clock = n.clock
		targets := libraryTargets()
		for _, list := range []string{"/users", "/engagements?startDate=2026-03-01", "/readings?startDate=2026-03-01", "/summary?startDate=2026-03-01&groupBy=book"} {
			targets = append(targets, prefix+list)
		}
		// ask asks a server that has nothing in memory.
		ask := func(log *bytes.Buffer) map[string]*httptest.ResponseRecorder {
			l := slog.New(zerolog.NewSlogHandler(zerolog.New(log)))
			s, err := server.New(t.Context(), server.Config{DB: db, Now: n.clock.time, SchoolsRate: -1, LibrariesRate: -1, Log: l})
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]*httptest.ResponseRecorder{}
			for _, target := range targets {
				key := n.key
				if strings.HasPrefix(target, prefix) {
					key = f.north
				}
				all[target] = (&fixture{handler: s.Handler()}).get(key, target)
			}
			return all
		}
		whole := ask(&bytes.Buffer{})
		r := rand.New(rand.NewPCG(13, 14))
		known := 0
		for _, kind := range kinds {
			blocks := storedBlocks(t, db, kind)
			known += len(blocks)
			if len(blocks) == 0 {
				t.Errorf("there is no block of %s", kind.Name)
				continue
			}
			for range flips {
				b := blocks[r.IntN(len(blocks))]
				flipped := slices.Clone(b.data)
				flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
				b.set(t, db, flipped)
				name := fmt.Sprintf("tenant %d, %s %d/%d", b.tenant, kind.Name, b.a, b.b)
				var log bytes.Buffer
				read := false
				for target, w := range ask(&log) {
					switch {
					case w.Code == 500:
						read = true
					case w.Code != 200 || w.Body.String() != whole[target].Body.String():
						t.Errorf("with a bit of %s flipped, %s = %d %s", name, target, w.Code, w.Body)
					}
				}
				if !read {
					err := again(t, f, n, b.tenant)
					if read = errors.Is(err, snapshot.ErrCorrupt); read {
						fmt.Fprintln(&log, err)
					}
				}
				if !read || !strings.Contains(log.String(), name) {
					t.Errorf("with a bit of %s flipped, nobody sees it, or it is not named: %t %.500s", name, read, &log)
				}
				b.set(t, db, b.data)
			}
		}
		if all, err := db.NewSelect().Table("blocks").Count(t.Context()); err != nil || all != int64(known) {
			t.Errorf("%d of %d blocks, %v, are of the kinds that are tried", known, all, err)
		}
		for target, w := range ask(&bytes.Buffer{}) {
			same(t, "with all bits as they were: "+target, w, whole[target])
		}
	})
}

// again loads for a tenant what was loaded before.
func again(t *testing.T, f *fixture, n *network, tenant int64) error {
	t.Helper()
	if tenant == int64(f.partner) {
		_, err := load.Schools(t.Context(), &schoolsdb.Store{DB: f.db.DB, Copy: f.db.Copy, Now: n.clock.time}, f.partner, "ana", os.DirFS(n.folder(feed)), load.Options{Now: n.clock.time})
		return err
	}
	_, err := load.Libraries(t.Context(), &librariesdb.Store{DB: n.db.DB, Copy: n.db.Copy, Now: n.clock.time}, n.north, os.DirFS(n.folder(libraryFeed)), load.Options{Now: n.clock.time})
	return err
}

// storedBlock is a row of blocks.
type storedBlock struct {
	tenant, kind, a, b int64
	data               []byte
}

func storedBlocks(t *testing.T, db *database.DB, k snapshot.Kind) (blocks []storedBlock) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT tenant_id, kind, a, b, data FROM blocks WHERE kind = ? ORDER BY 1, 3, 4`, k.Number)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var b storedBlock
		if err := rows.Scan(&b.tenant, &b.kind, &b.a, &b.b, &b.data); err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (b storedBlock) set(t *testing.T, db *database.DB, data []byte) {
	t.Helper()
	_, err := db.NewRaw(`UPDATE blocks SET data = ? WHERE tenant_id = ? AND kind = ? AND a = ? AND b = ?`, data, b.tenant, b.kind, b.a, b.b).Exec(t.Context())
	if err != nil {
		t.Fatal(err)
	}
}
