package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// build tells this program from every other one, of which the answers of the same data may be other bytes: it is what it was built
// of, where that is a commit, else the digest of its file, which the first request would wait for. Where the file cannot be read it
// is of this process alone.
var build = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && isCommitted(info) {
		sum := sha256.Sum256([]byte(info.String()))
		return hex.EncodeToString(sum[:])
	}
	file, err := openExecutable()
	if err != nil {
		return rand.Text()
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return rand.Text()
	}
	return hex.EncodeToString(sum.Sum(nil))
})

// isCommitted reports whether a program was built of a commit and of published modules, and of nothing that was changed beside
// them: then what the toolchain says of it tells it from all others.
func isCommitted(info *debug.BuildInfo) bool {
	said := make(map[string]string)
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	replaced := slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Replace != nil })
	return said["vcs.revision"] != "" && said["vcs.modified"] == "false" && !replaced
}

// openExecutable opens the program's file: on Linux the one that runs, though another has taken its place since.
func openExecutable() (*os.File, error) {
	if runtime.GOOS == "linux" {
		return os.Open("/proc/self/exe")
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
