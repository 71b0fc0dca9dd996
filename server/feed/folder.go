package feed

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
)

// Folder is a feed: a folder with at most one file for each resource.
type Folder struct {
	files   fs.FS
	names   []string // of all files in it
	byName  map[string][]*File
	ignored map[string]bool
	size    int64
	digest  hash.Hash // of the names, sizes and times of the files
	done    atomic.Int64
}

// File is the file of one resource.
type File struct {
	folder   *Folder
	resource string
	name     string
	csv      bool
	packing  packing
}

// packing is the compression of a file.
type packing uint8

const (
	plain packing = iota
	gzipped
	zstandard
)

// Name returns the file's name without its folder, such as segments.ndjson.gz.
func (f *File) Name() string { return f.name }

// Open lists the feed in a file system, such as os.DirFS(dir). If resources are named it refuses a folder without any
// of them, two files of one resource, and every other file that looks like a part of the feed: a misspelt name would
// silently load nothing.
func Open(files fs.FS, resources ...string) (*Folder, error) {
	f := &Folder{files: files, byName: map[string][]*File{}, ignored: map[string]bool{}, digest: sha256.New()}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("feed: %w; name a folder with one file per resource", f.named(err))
	}
	for _, e := range entries {
		if err := f.add(e.Name()); err != nil {
			return nil, err
		}
	}
	if len(resources) == 0 {
		return f, nil
	}
	const forms = "each .ndjson or .csv, also .gz or .zst"
	all := strings.Join(resources, ", ")
	if names := f.unknown(resources); len(names) > 0 {
		return nil, fmt.Errorf("%s: unknown file %s; a feed has the files %s, %s", f, strings.Join(names, ", "), all, forms)
	}
	if len(f.byName) == 0 {
		return nil, fmt.Errorf("%s: has none of the files %s, %s; name the feed's own folder", f, all, forms)
	}
	for _, resource := range resources {
		if _, err := f.File(resource); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// OpenFile opens a file outside of a feed's folder.
func OpenFile(path string) (*File, error) {
	dir, name := filepath.Split(path)
	file, ok := parseName(name)
	if !ok {
		return nil, fmt.Errorf("%s is neither .csv nor .ndjson, nor one of these with .gz or .zst; name such a file", path)
	}
	file.folder = &Folder{files: os.DirFS(cmp.Or(dir, "."))}
	_, err := os.Stat(path)
	return file, err
}

// add adds one entry of the folder.
func (f *Folder) add(name string) error {
	if strings.HasPrefix(name, ".") {
		return nil
	}
	f.names = append(f.names, name)
	file, ok := parseName(name)
	if !ok {
		return nil
	}
	info, err := fs.Stat(f.files, name)
	if err != nil {
		return fmt.Errorf("feed: %w", f.named(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %s is no file", f, name)
	}
	file.folder = f
	f.byName[file.resource] = append(f.byName[file.resource], file)
	f.size += info.Size()
	fmt.Fprintf(f.digest, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	return nil
}

// dir returns the path of the folder if it is on disk, where the file system is an os.DirFS, or an empty string.
func (f *Folder) dir() string {
	if v := reflect.ValueOf(f.files); v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}

// String names the feed in errors.
func (f *Folder) String() string { return strings.TrimSuffix("feed "+f.dir(), " ") }

// named adds the folder's path to an error of a file.
func (f *Folder) named(err error) error {
	of, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok || f.dir() == "":
	case of.Path == ".":
		of.Path = f.dir()
	default:
		of.Path = filepath.Join(f.dir(), of.Path)
	}
	return err
}

// unknown returns the names of files that look like a part of the feed and belong to none of the resources: other
// names with a feed's ending, and names of resources with another ending, such as segments.json.
func (f *Folder) unknown(resources []string) (names []string) {
	for _, name := range f.names {
		stem, _, _ := strings.Cut(name, ".")
		if file, ok := parseName(name); ok && !slices.Contains(resources, file.resource) || !ok && slices.Contains(resources, stem) {
			names = append(names, name)
		}
	}
	return names
}

// parseName parses the name of a feed file. Endings match in any case, resources only as they are written.
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

// File returns the file of a resource, or nil if the feed has none. Two files of one resource are an error, because
// only the sender knows which of them counts.
func (f *Folder) File(resource string) (*File, error) {
	switch files := f.byName[resource]; len(files) {
	case 0:
		return nil, nil
	case 1:
		return files[0], nil
	default:
		return nil, fmt.Errorf("%s: %s and %s are both %s; keep one", f, files[0].name, files[1].name, resource)
	}
}

// Ignore lets all files have members and columns of these names, and skips them. A field with such a name is still
// read.
func (f *Folder) Ignore(names ...string) {
	for _, name := range names {
		f.ignored[name] = true
	}
}

// Size returns the number of bytes of the feed's files on disk.
func (f *Folder) Size() int64 { return f.size }

// Digest returns a digest of the names, sizes and times of the feed's files.
func (f *Folder) Digest() string { return hex.EncodeToString(f.digest.Sum(nil)[:16]) }

// Done returns how many of the bytes have been read. It may be called during a read. A file that is read twice counts
// twice.
func (f *Folder) Done() int64 { return f.done.Load() }

// open opens the file as it is on disk, and counts the bytes that are read.
func (f *File) open() (io.ReadCloser, error) {
	file, err := f.folder.files.Open(f.name)
	if err != nil {
		return nil, fmt.Errorf("feed: %w", f.folder.named(err))
	}
	return &counted{File: file, done: &f.folder.done}, nil
}

// counted counts the bytes that are read from a file.
type counted struct {
	fs.File
	done *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.done.Add(int64(n))
	return n, err
}
