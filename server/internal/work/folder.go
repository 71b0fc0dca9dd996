package work

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-dev/lectern/auth/authdb"
)

// places are the folders of the feeds of each kind of tenant.
var places = map[authdb.Kind]string{authdb.Partner: "schools", authdb.Library: "libraries"}

// FolderName returns the name of the folder of a feed: the tenant's reference, escaped as in a path of a URL, so that it is one name
// and does not begin with a dot: ana/é is ana%2F%C3%A9.
func FolderName(reference string) string {
	name := url.PathEscape(reference)
	if rest, hidden := strings.CutPrefix(name, "."); hidden {
		name = "%2E" + rest
	}
	return name
}

// feeds returns the names of the feeds that stand in their place, but for hidden ones. The places may be missing, the folder not.
func (w *Worker) feeds() (map[authdb.Kind]map[string]bool, error) {
	if _, err := os.Stat(w.Folder); err != nil {
		return nil, fmt.Errorf("%w; name the folder that has schools and libraries", err)
	}
	all := map[authdb.Kind]map[string]bool{}
	for kind, place := range places {
		entries, err := os.ReadDir(filepath.Join(w.Folder, place))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all[kind] = map[string]bool{}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				all[kind][e.Name()] = true
			}
		}
	}
	return all, nil
}

// contentOf returns a digest of the files of a folder: their names, sizes and times.
func contentOf(folder string) (string, error) {
	entries, err := os.ReadDir(folder) // by name
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
