package generate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// files are the files of one feed while they are written.
type files struct {
	dir       string
	form      form
	resources []string // every file that the feed may have
	written   []string // paths
}

// write makes the folder and has fill write the files. When that fails, what was written is removed.
func (f *files) write(fill func() error) error {
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return fmt.Errorf("generate: %w; name a folder that can be made or written", err)
	}
	if err := f.vacant(); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return errors.Join(err, f.remove())
	}
	return nil
}

// vacant refuses a folder in which a file would become the second of its resource.
func (f *files) vacant() error {
	for _, resource := range f.resources {
		for _, csv := range []bool{false, true} {
			for _, compress := range []string{"", "gz", "zst"} {
				other := form{csv, compress}
				if _, err := os.Stat(filepath.Join(f.dir, other.name(resource))); other != f.form && err == nil {
					return fmt.Errorf("generate: %s already holds %s; remove it or name another folder", f.dir, other.name(resource))
				}
			}
		}
	}
	return nil
}

// remove takes back what was written.
func (f *files) remove() error {
	var errs []error
	for _, path := range f.written {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}

// create begins a resource's file.
func (f *files) create(resource string, fields ...string) (*table, error) {
	t, err := createTable(f.dir, f.form, resource, fields...)
	if t != nil {
		f.written = append(f.written, t.path)
	}
	return t, err
}

// register writes a whole file and returns its rows.
func (f *files) register(resource string, fields []string, rows func(*table)) (int64, error) {
	t, err := f.create(resource, fields...)
	if err != nil {
		return 0, err
	}
	rows(t)
	return t.rows, t.finish()
}
