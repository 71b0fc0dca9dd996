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

// packedColumns are the columns in which the product may keep packed forms, in one version of it or another.
var packedColumns = []string{"blocks.data", "schools_records.data", "schools_ledgers.data", "schools_days.presence", "schools_days.minutes",
	"libraries_networks.holdings", "libraries_attributes.data", "libraries_shelves.data", "libraries_days.totals", "libraries_days.readers",
	"libraries_days.titles", "libraries_days.logins"}

// flip turns a bit of what is stored. What is answered then is right, or 500, and a check finds it; all is well when it is
// turned back.
func (t *trial) flip(c chance, _ Act) error {
	return t.store.open(func(ctx context.Context, db *database.DB) error {
		b, err := t.someBlock(ctx, db, c)
		if err != nil || b == nil {
			return err
		}
		bad := slices.Clone(b.data)
		bad[c.IntN(len(bad))] ^= 1 << c.IntN(8)
		if err := b.put(ctx, db, b.data, bad); err != nil {
			return err
		}
		t.damaged = true
		if err := errors.Join(t.again(c), t.damagedAnswers(c)); err != nil {
			return fmt.Errorf("with a flipped bit in %s: %w", b.table, err)
		}
		t.damaged = false
		if err := b.put(ctx, db, bad, b.data); err != nil {
			return err
		}
		return errors.Join(t.again(c), t.whole(t.servers[0]))
	})
}

// damagedAnswers asks for everything while a bit is flipped.
func (t *trial) damagedAnswers(c chance) error {
	if err := t.whole(t.servers[0]); err != nil || !t.product.check {
		return err
	}
	found, err := t.checked()
	if err == nil && len(found) == 0 {
		err = differs("lectern check --deep finds no flipped bit")
	}
	return err
}

// again starts the servers again, which have nothing in memory then.
func (t *trial) again(c chance) error {
	for _, s := range t.servers {
		if err := t.restart(s, c.one(2)); err != nil {
			return err
		}
	}
	return nil
}

// block is a stored form.
type block struct {
	table, column string
	data          []byte
}

// someBlock returns one of the stored forms, or nil where there is none.
func (t *trial) someBlock(ctx context.Context, db *database.DB, c chance) (*block, error) {
	columns := slices.Clone(packedColumns)
	c.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	for _, name := range columns {
		table, column, _ := strings.Cut(name, ".")
		b := &block{table: table, column: column}
		if err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM %s`, b.table)).Scan(new(int)); err != nil {
			continue // this version has no such table
		}
		rows, err := db.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM %s WHERE %s IS NOT NULL ORDER BY 1`, b.column, b.table, b.column))
		if err != nil {
			return nil, err
		}
		var all []block
		for rows.Next() {
			o := *b
			if err := rows.Scan(&o.data); err != nil {
				return nil, err
			}
			if len(o.data) > 0 {
				all = append(all, o)
			}
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		if len(all) > 0 {
			return &all[c.IntN(len(all))], nil
		}
	}
	return nil, nil
}

// put writes a form in the place of another one.
func (b *block) put(ctx context.Context, db *database.DB, was, data []byte) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %s = ? WHERE %s = ?`, b.table, b.column, b.column), data, was)
	return err
}

// checked is what lectern check --deep finds wrong, but for the clock, the disk and fsync, which are
// as they are on purpose.
func (t *trial) checked() (found []string, err error) {
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

// checkWhole holds that a check finds nothing.
func (t *trial) checkWhole() error {
	if !t.product.check {
		return nil
	}
	found, err := t.checked()
	if err == nil && len(found) > 0 {
		err = differs("lectern check --deep finds %q", found)
	}
	return err
}
