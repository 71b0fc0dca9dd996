package server

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// build tells this program from every other one, whose answers over the same data may have other bytes. It is a digest of the program's
// file, since two programs built from changed sources may have one version and one commit. If the file cannot be read, build is a
// random text, which only this process has.
var build = sync.OnceValue(func() string {
	path := "/proc/self/exe" // the file that runs, even if another has taken its place since
	if runtime.GOOS != "linux" {
		path, _ = os.Executable()
	}
	file, err := os.Open(path)
	if err != nil {
		return rand.Text()
	}
	defer file.Close()
	sum := xxhash.New() // the first request waits for it: a cryptographic one takes five times as long
	if _, err := io.Copy(sum, file); err != nil {
		return rand.Text()
	}
	return hex.EncodeToString(sum.Sum(nil))
})
