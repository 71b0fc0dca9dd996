package main

import (
	"cmp"
	"fmt"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/cmd/lectern/internal/check"
)

type checkCmd struct {
	Deep bool `env:"-" help:"Also read every stored block of every tenant, and compare sums."`
	JSON bool `name:"json" help:"Print a line of JSON for each check."`
}

// Run checks the set-up whatever the schema is, and prints what it found. If anything is wrong, that is the command's error.
func (c *checkCmd) Run(s *session) error {
	db, err := s.openExisting(nil)
	if err != nil {
		return err
	}
	key, err := server.EnvironmentKey()
	if err != nil {
		return err
	}
	bars := s.progress("")
	var items []check.Item
	checker := &check.Checker{DB: db, Clock: s.clock, Key: key, Progress: bars.Show, Tell: func(i check.Item) error {
		if c.JSON {
			return s.print(i)
		}
		items = append(items, i)
		return nil
	}}
	err = checker.Run(s.ctx, c.Deep)
	bars.Finish()
	if err = cmp.Or(check.Write(s.stdout, items), err); err != nil {
		return err
	}
	if n := checker.Wrong(); n > 0 {
		return fmt.Errorf("what is wrong: %d; each line says what to do", n)
	}
	return nil
}
