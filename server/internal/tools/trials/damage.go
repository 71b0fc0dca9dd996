package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/server/database"
)

// flip flips a bit of a stored block. Answers must then be right or 500, and a check must find the block. When the bit is flipped back
// all must be well.
func (t *harness) flip(c chance, _ Step) {
	check(t.store.open(func(ctx context.Context, db *database.DB) error {
		var blocks [][]byte
		if err := db.NewRaw(`SELECT data FROM blocks ORDER BY data`).Scan(ctx, &blocks); err != nil || len(blocks) == 0 {
			return err
		}
		put := func(was, is []byte) {
			_, err := db.ExecContext(ctx, `UPDATE blocks SET data = ? WHERE data = ?`, is, was)
			check(err)
		}
		good := pick(c, blocks)
		bad := slices.Clone(good)
		bad[c.IntN(len(bad))] ^= 1 << c.IntN(8)
		put(good, bad)
		t.damaged = true
		t.restartAll(c)
		t.everything(t.servers[0])
		if len(t.checked()) == 0 {
			fail("lectern check --deep finds no flipped bit")
		}
		t.damaged = false
		put(bad, good)
		t.restartAll(c)
		t.everything(t.servers[0])
		return nil
	}))
}

// restartAll restarts the servers, so that they have nothing in memory.
func (t *harness) restartAll(c chance) {
	for _, s := range t.servers {
		t.restart(s, c.one(2))
	}
}

// checked returns what lectern check --deep finds wrong, but for the clock, the disk and fsync, which the trials change on purpose.
func (t *harness) checked() (found []string) {
	run := t.lectern("check", "--deep", "--json")
	for l := range strings.Lines(run.out.String()) {
		var item struct {
			Check, Detail string
			OK            bool
		}
		if err := json.Unmarshal([]byte(l), &item); err != nil {
			fail("%v: %v", err, run)
		}
		if !item.OK && item.Check != "clock" && item.Check != "disk" && item.Detail != "fsync is off" {
			found = append(found, item.Check+": "+item.Detail)
		}
	}
	return found
}
