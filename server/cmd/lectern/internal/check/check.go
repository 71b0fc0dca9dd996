// Package check finds what is wrong with a set-up: the database and its settings, its schema, the key of the secrets, disks and
// clocks. A deep check also reads every stored block. Both change nothing, and may run beside a server and loads.
//
//	c := &check.Checker{DB: db, Tell: func(i check.Item) error { return print(i) }}
//	err := c.Run(ctx, true) // {"check":"clock","ok":true,"detail":"2026-11-25T12:00:00Z, 0s from the database's"} …
//	wrong := c.Wrong()
//
// Each check tells its result as an [Item]; one that is wrong says what to do. An error means that the check itself could not go
// on. The package mends nothing, and it does not compute reports again: a deep check compares only sums that are stored twice.
package check

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// Item is the result of one check.
type Item struct {
	What   string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // where it is wrong
}

// Checker checks one database.
type Checker struct {
	DB *database.DB
	// Clock is the clock that the environment sets for trials; nil if it sets none.
	Clock func() time.Time
	// Key is the key of the secrets that the environment gives; nil if it gives none.
	Key []byte
	// Free returns how many bytes this process's user may still write to the disk of a folder, and false if that is unknown. Nil
	// asks the system.
	Free func(folder string) (uint64, bool)
	// Tell is called with each item as soon as it is known.
	Tell func(Item) error
	// Progress, if not nil, is called with the number of blocks of a tenant that a deep check has read.
	Progress func(tenant string, done, total int64)

	wrong int
	down  []string // nodes that were told
	err   error    // of Tell
}

// Wrong returns how many items were wrong so far.
func (c *Checker) Wrong() int { return c.wrong }

func (c *Checker) tell(i Item) {
	if !i.OK {
		c.wrong++
	}
	if c.err == nil {
		c.err = c.Tell(i)
	}
}

func (c *Checker) ok(what, format string, args ...any) {
	c.tell(Item{What: what, OK: true, Detail: fmt.Sprintf(format, args...)})
}

func (c *Checker) fault(what, do, format string, args ...any) {
	c.tell(Item{What: what, Detail: fmt.Sprintf(format, args...), Do: do})
}

// okUnlessWrong tells that a thing is fine, unless more items are wrong than before.
func (c *Checker) okUnlessWrong(what string, before int, format string, args ...any) {
	if c.wrong == before {
		c.ok(what, format, args...)
	}
}

// Run checks the set-up and, if deep, the stored blocks; these only if the schema is the program's.
func (c *Checker) Run(ctx context.Context, deep bool) error {
	current, err := c.setUp(ctx)
	if err == nil && deep && current {
		err = c.Deep(ctx)
	}
	if err == nil {
		err = c.err
	}
	return err
}

// Write writes items as a table. Those that are wrong come last, each with what to do.
func Write(to io.Writer, items []Item) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, i := range items {
		if i.OK {
			fmt.Fprintf(w, "%s\t%s\tok\n", i.What, i.Detail)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, i := range items {
		if i.OK {
			continue
		}
		if _, err := fmt.Fprintf(to, "WRONG: %s: %s; %s\n", i.What, strings.Join(strings.Fields(i.Detail), " "), i.Do); err != nil {
			return err
		}
	}
	return nil
}
