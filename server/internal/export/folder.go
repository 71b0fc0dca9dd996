package export

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Folder is a folder that is filled with files: it holds all of them or none. While they are written they have names of
// their own, .users.csv.partial, which Publish takes away and Discard removes with the files; only a process that is
// killed leaves some, and the folder is refused then until they are gone.
type Folder struct {
	dir     string
	format  Format
	made    bool // the folder was not there
	files   []*file
	renamed []string
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
func (f *Folder) open(name string) (*file, error) {
	to, err := os.OpenFile(f.partial(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	opened := &file{name: name, to: to, w: bufio.NewWriterSize(to, fileBuffer), csv: f.format == CSV}
	f.files = append(f.files, opened)
	return opened, nil
}

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

// Discard removes the files that were written; the folder can be filled anew.
func (f *Folder) Discard() error {
	paths := f.renamed
	for _, t := range f.files {
		t.close()
		paths = append(paths, f.partial(t.name))
	}
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	f.files, f.renamed = nil, nil
	return errors.Join(errs...)
}

// Remove removes the folder, where it was not there before. It must have been discarded.
func (f *Folder) Remove() error {
	if !f.made {
		return nil
	}
	return os.Remove(f.dir)
}
