package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/server/database"
)

// flip turns a bit of what is stored. What is answered then is right, or 500, and a check finds it; all is well when it is
// turned back.
func (t *harness) flip(c chance, _ Step) error {
	return t.store.open(func(ctx context.Context, db *database.DB) error {
		good, err := someBlock(ctx, db, c)
		if err != nil || good == nil {
			return err
		}
		bad := slices.Clone(good)
		bad[c.IntN(len(bad))] ^= 1 << c.IntN(8)
		const put = `UPDATE blocks SET data = ? WHERE data = ?`
		if _, err := db.ExecContext(ctx, put, bad, good); err != nil {
			return err
		}
		t.damaged = true
		if err := errors.Join(t.again(c), t.damagedAnswers(c)); err != nil {
			return fmt.Errorf("with a flipped bit: %w", err)
		}
		t.damaged = false
		if _, err := db.ExecContext(ctx, put, good, bad); err != nil {
			return err
		}
		return errors.Join(t.again(c), t.everything(t.servers[0]))
	})
}

// damagedAnswers asks for everything while a bit is flipped.
func (t *harness) damagedAnswers(c chance) error {
	if err := t.everything(t.servers[0]); err != nil {
		return err
	}
	found, err := t.checked()
	if err == nil && len(found) == 0 {
		err = differs("lectern check --deep finds no flipped bit")
	}
	return err
}

// again starts the servers again, which have nothing in memory then.
func (t *harness) again(c chance) error {
	for _, s := range t.servers {
		if err := t.restart(s, c.one(2)); err != nil {
			return err
		}
	}
	return nil
}

// someBlock returns one of the stored blocks, or nil where there is none.
func someBlock(ctx context.Context, db *database.DB, c chance) (data []byte, err error) {
	rows, err := db.QueryContext(ctx, `SELECT data FROM blocks ORDER BY data`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all [][]byte
	for rows.Next() && err == nil {
		err = rows.Scan(&data)
		all = append(all, slices.Clone(data))
	}
	if err = errors.Join(err, rows.Err()); err != nil || len(all) == 0 {
		return nil, err
	}
	return pick(c, all), nil
}

// checked is what lectern check --deep finds wrong, but for the clock, the disk and fsync, which are
// as they are on purpose.
func (t *harness) checked() (found []string, err error) {
	run, err := t.lectern("check", "--deep", "--json")
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(run.out.String()) {
		var item struct {
			Check, Detail string
			OK            bool
		}
		if err := json.Unmarshal([]byte(l), &item); err != nil {
			return nil, differs("%v: %v", err, run)
		}
		if !item.OK && item.Check != "clock" && item.Check != "disk" && item.Detail != "fsync is off" {
			found = append(found, item.Check+": "+item.Detail)
		}
	}
	return found, nil
}
