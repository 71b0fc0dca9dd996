// Package check looks for what is wrong with a set-up: the database and its settings, its schema, the key of the secrets, disks and
// clocks; and, where it is asked to go deep, with every block that is stored. It changes nothing, and may run beside a server and
// loads.
//
// What was looked at is told as an [Item]; one that is wrong says what to do. That a check itself cannot go on is an error.
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

// Item is one thing that was looked at.
type Item struct {
	What   string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // where it is wrong
}

// Checker checks one database.
type Checker struct {
	DB *database.DB
	// Clock is the clock that the environment sets for trials, nil where it sets none.
	Clock func() time.Time
	// Key is the key of the secrets that the environment gives, nil where it gives none.
	Key []byte
	// Free returns the bytes that are free for the user of this process on the disk of a folder; false where that is not known. Nil
	// asks the system.
	Free func(folder string) (uint64, bool)
	// Tell is told each item as soon as it is known.
	Tell func(Item) error
	// Progress, if not nil, is told the blocks that a tenant's deep check has read.
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

// okUnlessWrong tells that nothing is wrong with a thing, unless more is wrong than before.
func (c *Checker) okUnlessWrong(what string, before int, format string, args ...any) {
	if c.wrong == before {
		c.ok(what, format, args...)
	}
}

// Run checks the set-up, and, where deep, what is stored, which is not looked at where the schema is not the program's.
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

// Write writes items as a table, those that are wrong last and each with what to do.
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
