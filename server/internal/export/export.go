// Package export writes what a tenant has as plain rows into a folder, one file a resource: CSV or NDJSON, UTF-8. Whatever
// the store keeps in packed forms of its own is unpacked, so that nothing is locked into them.
//
//	sum, err := export.Schools(ctx, export.SchoolsOf{Store: store, Partner: partner}, "folder", export.Options{})
//	sum, err := export.Libraries(ctx, store, network, "folder", export.Options{Format: export.NDJSON})
//
// Fields have the names that the specification, or where it has none the feeds, give them. In CSV (RFC 4180) there is a
// header, null is an empty cell, and the items of a list are separated by semicolons, as in a feed.
//
// # Consistency
//
// An export shows one state of the tenant's data, that with which it began, whatever is loaded meanwhile. Nothing is locked.
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
	"context"
	"errors"

	"github.com/lectern-dev/lectern/paging/state"
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

func (o Options) progress(file string, done, total int) {
	if o.Progress != nil {
		o.Progress(file, int64(done), int64(total))
	}
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

// whole fills a folder with the files that write makes from one state of the data, which it returns.
func whole(ctx context.Context, dir string, o Options, write func(ctx context.Context, f *Folder) (state.Versions, error)) (Summary, error) {
	f, err := NewFolder(dir, o.Format)
	if err != nil {
		return Summary{}, err
	}
	at, err := write(ctx, f)
	if err == nil {
		err = f.Publish()
	}
	if err != nil {
		return Summary{}, errors.Join(err, f.Discard(), f.Remove())
	}
	return Summary{f.Files(), at}, nil
}
