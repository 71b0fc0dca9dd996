package feed

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// Folder is a feed: a folder with at most one file per resource.
type Folder struct {
	dir     string
	files   map[string][]*File
	ignored map[string]bool
	alien   []alien
	size    int64
	done    atomic.Int64
}

// File is the file of one resource.
type File struct {
	folder   *Folder
	resource string
	name     string
	size     int64
	csv      bool
	packing  packing
}

// alien is a file that is no feed file, though its name begins like one.
type alien struct{ stem, name string }

// packing is how a file is compressed.
type packing uint8

const (
	plain packing = iota
	gzipped
	zstandard
)

// Name returns the file's name without its folder, such as segments.ndjson.gz.
func (f *File) Name() string { return f.name }

// Size returns the file's bytes on disk.
func (f *File) Size() int64 { return f.size }

// Open lists the feed in dir. When resources are named it refuses a folder with none of them, two files of one of them,
// and every file of the feed that is none of them (see [Folder.Unknown]): a misspelt name would silently load nothing.
func Open(dir string, resources ...string) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("feed: %w; name a folder with one file per resource", err)
	}
	f := &Folder{dir: dir, files: map[string][]*File{}}
	for _, e := range entries {
		if err := f.add(e.Name()); err != nil {
			return nil, err
		}
	}
	if len(resources) == 0 {
		return f, nil
	}
	if names := f.Unknown(resources...); len(names) > 0 {
		return nil, fmt.Errorf("feed %s: unknown file %s; a feed has the files %s, each .ndjson or .csv, also .gz or .zst",
			dir, strings.Join(names, ", "), strings.Join(resources, ", "))
	}
	found := false
	for _, resource := range resources {
		file, err := f.File(resource)
		if err != nil {
			return nil, err
		}
		found = found || file != nil
	}
	if !found {
		return nil, fmt.Errorf("feed %s: has none of the files %s, each .ndjson or .csv, also .gz or .zst; name the feed's own folder",
			dir, strings.Join(resources, ", "))
	}
	return f, nil
}

// add takes note of one entry of the folder.
func (f *Folder) add(name string) error {
	if strings.HasPrefix(name, ".") {
		return nil
	}
	file, ok := parseName(name)
	if !ok {
		stem, _, _ := strings.Cut(name, ".")
		f.alien = append(f.alien, alien{stem, name})
		return nil
	}
	info, err := os.Stat(filepath.Join(f.dir, name))
	if err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("feed %s: %s is no file", f.dir, name)
	}
	file.folder, file.size = f, info.Size()
	f.files[file.resource] = append(f.files[file.resource], file)
	f.size += file.size
	return nil
}

// parseName returns what the name of a feed file says. The endings count in any case, the resource as it is written.
func parseName(name string) (*File, bool) {
	f := &File{name: name}
	rest := name
	switch ext := filepath.Ext(rest); strings.ToLower(ext) {
	case ".gz":
		f.packing, rest = gzipped, strings.TrimSuffix(rest, ext)
	case ".zst":
		f.packing, rest = zstandard, strings.TrimSuffix(rest, ext)
	}
	ext := filepath.Ext(rest)
	f.csv = strings.EqualFold(ext, ".csv")
	f.resource = strings.TrimSuffix(rest, ext)
	return f, (f.csv || strings.EqualFold(ext, ".ndjson")) && f.resource != ""
}

// File returns the file of a resource, or nil when the feed has none. Two files of the resource are an error: which of
// them stands is the sender's to say.
func (f *Folder) File(resource string) (*File, error) {
	switch files := f.files[resource]; len(files) {
	case 0:
		return nil, nil
	case 1:
		return files[0], nil
	default:
		return nil, fmt.Errorf("feed %s: %s and %s are both %s; keep one", f.dir, files[0].name, files[1].name, resource)
	}
}

// Unknown returns the names, sorted, of the folder's files that look like a feed's and are not read for one of the
// resources: feed files of another name, and files of a resource's name with another ending, such as segments.json.
func (f *Folder) Unknown(resources ...string) []string {
	var names []string
	for resource, files := range f.files {
		if slices.Contains(resources, resource) {
			continue
		}
		for _, file := range files {
			names = append(names, file.name)
		}
	}
	for _, a := range f.alien {
		if slices.Contains(resources, a.stem) {
			names = append(names, a.name)
		}
	}
	slices.Sort(names)
	return names
}

// Ignore lets all files have members and columns of these names, which are passed over where they are no field. A field of a
// file is read all the same: another file may have a stray one of that name.
func (f *Folder) Ignore(names ...string) {
	if f.ignored == nil {
		f.ignored = make(map[string]bool, len(names))
	}
	for _, name := range names {
		f.ignored[name] = true
	}
}

// Size returns the bytes on disk of the feed's files.
func (f *Folder) Size() int64 { return f.size }

// Done returns how many of those bytes were read so far; it may be called while they are. A file that is read twice
// counts twice.
func (f *Folder) Done() int64 { return f.done.Load() }

// open returns the file's bytes as they are on disk, counting them as they are read.
func (f *File) open() (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(f.folder.dir, f.name))
	if err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	return &counted{File: file, done: &f.folder.done}, nil
}

// counted is a file that counts what is read of it.
type counted struct {
	*os.File
	done *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.done.Add(int64(n))
	return n, err
}
