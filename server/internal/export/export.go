// Package export writes what a tenant has as plain rows into a folder, one file a resource: CSV or NDJSON, UTF-8. Whatever
// the store keeps in packed forms of its own is unpacked, so that nothing is locked into them.
//
//	sum, err := export.Schools(ctx, export.SchoolsOf{Store: store, Partner: partner}, "folder", export.Options{})
//	sum, err := export.Libraries(ctx, export.LibrariesOf{Store: store, Network: network}, "folder", export.Options{Format: export.NDJSON})
//
// Fields have the names that the specification, or where it has none the feeds, give them. In CSV (RFC 4180) there is a
// header, null is an empty cell, and the items of a list are separated by semicolons, as in a feed.
//
// # Consistency
//
// An export shows one state of the tenant's data, that with which it began, whatever is loaded meanwhile. Nothing is locked:
// the state is kept as that of a pull is, while the export goes on and for a day at most. One that finds its state gone, as
// after a long sleep, is an error.
//
// The files have temporary names until all of them are on the disk: a folder holds a whole export or none. See [Folder]
// for what becomes of an export that is killed.
//
// # Memory
//
// Rows are written as they are read, some thousand readers or one day at a time. What grows with the tenant is what a
// server keeps of it too: the ledgers and the attendance of a partner, about 300 bytes a user, and the identifiers of a
// library network's readers, titles and lines of stock.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// Format is how rows are written.
type Format string

// The formats. The empty one is CSV.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// Options say how to export. The zero Options are the defaults.
type Options struct {
	Format Format
	// Progress, if not nil, is told how far a file is, in users, readers or days.
	Progress func(file string, done, total int64)
}

// Summary is what an export has written.
type Summary struct {
	Files    []File // in the order in which they were written
	Versions state.Versions
}

// File is one file of an export.
type File struct {
	Name string // without its ending
	Rows int64
}

// source is the state that an export reads, once it has begun, and the folder into which it writes.
type source struct {
	states  *statedb.Store
	tenant  state.Tenant
	options Options
	folder  *Folder
	begun   bool
	at      state.Versions
}

// reads says which state is read.
func (s *source) reads(at state.Versions) { s.begun, s.at = true, at }

// use keeps the state, for as long as it is called every few minutes. Where that fails, as on a database that takes no writes,
// the export may still end in time: see kept.
func (s *source) use(ctx context.Context) { _ = s.states.Use(ctx, s.tenant, s.at, "export") }

// progress tells how far a file is, in the middle of the reading. The error is that of the files: there is no use in going on.
func (s *source) progress(ctx context.Context, file string, done, total int) error {
	s.use(ctx)
	if s.options.Progress != nil {
		s.options.Progress(file, int64(done), int64(total))
	}
	return s.folder.err
}

// kept returns the error of an export: whatever it was, and though there was none, it is that the state is gone where it is.
func (s *source) kept(ctx context.Context, failed error) error {
	if !s.begun {
		return failed
	}
	err := s.states.Kept(ctx, s.tenant, s.at)
	if errors.Is(err, state.ErrGone) {
		return fmt.Errorf("%w, for the export took too long: begin it again", err)
	}
	return cmp.Or(failed, err)
}

// whole fills a folder with the files that steps make one after the other from one state of the data.
func (s *source) whole(ctx context.Context, dir string, steps ...func(context.Context) error) (_ Summary, err error) {
	if s.folder, err = NewFolder(dir, s.options.Format); err != nil {
		return Summary{}, err
	}
	for _, step := range steps {
		if err = cmp.Or(step(ctx), s.folder.err); err != nil {
			break
		}
		s.use(ctx)
	}
	if err = s.kept(ctx, err); err == nil {
		err = s.folder.Publish()
	}
	if err != nil {
		return Summary{}, errors.Join(err, s.folder.Discard())
	}
	return Summary{s.folder.Files(), s.at}, nil
}
