package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Folder is a folder that is filled with files: it holds all of them or none. While they are written they have names of
// their own, .users.csv.partial, which Publish takes away and Discard removes with the files; only a process that is
// killed leaves some, and the folder is refused then until they are gone. The first error of a file is kept until Publish.
type Folder struct {
	dir     string
	format  Format
	made    bool // the folder was not there
	files   []*file
	renamed []string
	err     error
}

// NewFolder opens a folder to be filled, which must be empty, or makes it; not so the folders above it.
func NewFolder(dir string, format Format) (*Folder, error) {
	f := &Folder{dir: dir, format: format}
	if format == "" {
		f.format = CSV
	}
	switch err := os.Mkdir(dir, 0o700); { // it is to hold personal data
	case err == nil:
		f.made = true
		return f, nil
	case !errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("export: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("export: %w; name a folder", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("export: folder %s holds %s; name a new folder, or an empty one", dir, entries[0].Name())
	}
	return f, nil
}

// open begins a file.
func (f *Folder) open(name string) *file {
	opened := &file{in: f, name: name, csv: f.format == CSV}
	to, err := os.OpenFile(f.partial(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		f.fail(fmt.Errorf("export: %w", err))
		return opened
	}
	opened.to, opened.w = to, bufio.NewWriterSize(to, fileBuffer)
	f.files = append(f.files, opened)
	return opened
}

// fail notes an error of a file.
func (f *Folder) fail(err error) { f.err = cmp.Or(f.err, err) }

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name+"."+string(f.format)) }

func (f *Folder) partial(name string) string {
	return filepath.Join(f.dir, "."+name+"."+string(f.format)+".partial")
}

// Files returns the files and their numbers of rows.
func (f *Folder) Files() []File {
	files := make([]File, len(f.files))
	for i, t := range f.files {
		files[i] = File{t.name, t.count}
	}
	return files
}

// Publish brings all files to the disk, and then gives them their names.
func (f *Folder) Publish() error {
	if f.err != nil {
		return f.err
	}
	for _, t := range f.files {
		if err := t.close(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	for _, t := range f.files {
		if err := os.Rename(f.partial(t.name), f.path(t.name)); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		f.renamed = append(f.renamed, f.path(t.name))
	}
	if d, err := os.Open(f.dir); err == nil { // the names shall outlive a power cut, where that can be asked for
		d.Sync()
		d.Close()
	}
	return nil
}

// Discard removes the files that were written, and the folder where it was not there before.
func (f *Folder) Discard() error {
	paths := f.renamed
	for _, t := range f.files {
		t.close()
		paths = append(paths, f.partial(t.name))
	}
	if f.made {
		paths = append(paths, f.dir)
	}
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// file is a file of a folder.
type file struct {
	in    *Folder
	name  string
	to    *os.File // nil once it is closed, and where it could not be opened
	w     *bufio.Writer
	csv   bool
	b     []byte // the line
	count int64  // of rows
}

// fileBuffer is how much of a file is written at once.
const fileBuffer = 256 << 10

// flush writes the line.
func (f *file) flush() {
	if f.to == nil {
		return
	}
	if _, err := f.w.Write(f.b); err != nil {
		f.in.fail(err)
	}
}

// close brings what was written to the disk. To close again does nothing.
func (f *file) close() error {
	if f.to == nil {
		return nil
	}
	err := errors.Join(f.w.Flush(), f.to.Sync(), f.to.Close())
	f.to = nil
	return err
}
