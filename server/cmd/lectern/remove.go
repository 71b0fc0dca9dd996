package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/internal/load/progress"
)

// longestRequest is the server's limit for a request that was allowed before the keys ended.
var longestRequest = 10 * time.Second

// removal reads no environment variable, since a removal cannot be undone.
type removal struct {
	Yes bool `env:"-" help:"Do not ask."`
}

type partnerRemoveCmd struct {
	Ref string `arg:"" help:"The partner's reference_id."`
	removal
}

// Run removes a partner.
func (c *partnerRemoveCmd) Run(s *session) error {
	return c.remove(s, snapshotdb.Partner, c.Ref)
}

type libraryRemoveCmd struct {
	Slug string `arg:"" help:"The network's slug."`
	removal
}

// Run removes a library network.
func (c *libraryRemoveCmd) Run(s *session) error {
	return c.remove(s, snapshotdb.Library, c.Slug)
}

// remove removes a tenant after the operator has confirmed it.
func (r removal) remove(s *session, kind snapshotdb.Kind, reference string) error {
	db, err := s.openExisting(migrated)
	if err != nil {
		return err
	}
	t, err := snapshotdb.TenantOf(s.ctx, db, kind, reference)
	if errors.Is(err, snapshotdb.ErrNotFound) {
		return fmt.Errorf("there is no %s %q; lectern status lists what there is", kind, reference)
	}
	if err == nil && !r.Yes {
		if !progress.IsTerminal(os.Stdin) {
			return fmt.Errorf("this removes all data of %s %q for good; add --yes to do so", kind, reference)
		}
		err = confirm(os.Stdin, s.stderr, t)
	}
	if err != nil {
		return err
	}
	err = server.Remove(s.ctx, db, t, func() error {
		fmt.Fprintf(s.stderr, "lectern: the keys of %s %q have ended; its rows follow\n", kind, reference)
		select {
		case <-time.After(longestRequest):
			return nil
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, "removed", kind, reference)
	return err
}

// confirm asks for a tenant's reference.
func confirm(from io.Reader, to io.Writer, t snapshotdb.Tenant) error {
	fmt.Fprintf(to, "This removes all data of %s %q (%s) for good. Type %s to go on: ", t.Kind, t.Reference, t.Name, t.Reference)
	line, err := bufio.NewReader(from).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if strings.TrimRight(line, "\r\n") != t.Reference {
		return fmt.Errorf("that is not %q; nothing was removed", t.Reference)
	}
	return nil
}
