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
	"sync"
	"sync/atomic"
)

// Folder is a feed: a folder with at most one file per resource.
type Folder struct {
	files   fs.FS
	names   []string // of all that is in it
	byName  map[string][]*File
	ignored map[string]bool
	size    int64
	digest  hash.Hash // of the names, sizes and times of the files
	done    atomic.Int64

	decoders sync.Pool // of zstd
}

// File is the file of one resource.
type File struct {
	folder   *Folder
	resource string
	name     string
	csv      bool
	packing  packing
}

// packing is how a file is compressed.
type packing uint8

const (
	plain packing = iota
	gzipped
	zstandard
)

// Name returns the file's name without its folder, such as segments.ndjson.gz.
func (f *File) Name() string { return f.name }

// Open lists the feed in a file system, such as os.DirFS(dir). When resources are named it refuses a folder with none of them, two
// files of one of them, and every file of the feed that is none of them: a misspelt name would silently load nothing.
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

// OpenFile opens a file that is none of a folder's.
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

// add takes note of one entry of the folder.
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

// dir is the folder on disk that the files are in, or nothing: os.DirFS is a text.
func (f *Folder) dir() string {
	if v := reflect.ValueOf(f.files); v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}

// String names the feed in errors.
func (f *Folder) String() string { return strings.TrimSuffix("feed "+f.dir(), " ") }

// named names the folder on disk in an error of a file.
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

// unknown returns the names of the files that look like a feed's and are not read for one of the resources: feed files of another
// name, and files of a resource's name with another ending, such as segments.json.
func (f *Folder) unknown(resources []string) (names []string) {
	for _, name := range f.names {
		stem, _, _ := strings.Cut(name, ".")
		if file, ok := parseName(name); ok && !slices.Contains(resources, file.resource) || !ok && slices.Contains(resources, stem) {
			names = append(names, name)
		}
	}
	return names
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
	switch files := f.byName[resource]; len(files) {
	case 0:
		return nil, nil
	case 1:
		return files[0], nil
	default:
		return nil, fmt.Errorf("%s: %s and %s are both %s; keep one", f, files[0].name, files[1].name, resource)
	}
}

// Ignore lets all files have members and columns of these names, which are passed over where they are no field. A field of a
// file is read all the same: another file may have a stray one of that name.
func (f *Folder) Ignore(names ...string) {
	for _, name := range names {
		f.ignored[name] = true
	}
}

// Size returns the bytes on disk of the feed's files.
func (f *Folder) Size() int64 { return f.size }

// Digest returns a digest of the names, sizes and times of the feed's files.
func (f *Folder) Digest() string { return hex.EncodeToString(f.digest.Sum(nil)[:16]) }

// Done returns how many of those bytes were read so far; it may be called while they are. A file that is read twice
// counts twice.
func (f *Folder) Done() int64 { return f.done.Load() }

// open returns the file's bytes as they are on disk, counting them as they are read.
func (f *File) open() (io.ReadCloser, error) {
	file, err := f.folder.files.Open(f.name)
	if err != nil {
		return nil, fmt.Errorf("feed: %w", f.folder.named(err))
	}
	return &counted{File: file, done: &f.folder.done}, nil
}

// counted is a file that counts what is read of it.
type counted struct {
	fs.File
	done *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.done.Add(int64(n))
	return n, err
}
