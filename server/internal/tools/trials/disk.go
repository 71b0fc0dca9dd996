package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/lectern-dev/lectern/server/database"
)

// disk is a small disk in a file. A step can fill it, or read it as a power failure would leave it. Only root can mount one.
type disk struct{ image, at string }

const diskSize = 96 << 20

// newDisk makes a disk, or returns nil if that is not permitted.
func newDisk(dir string) *disk {
	d := &disk{image: filepath.Join(dir, "disk.img"), at: filepath.Join(dir, "disk")}
	check(os.WriteFile(d.image, nil, 0o600))
	check(os.Truncate(d.image, diskSize))
	if exec.Command("mkfs.ext4", "-q", "-F", d.image).Run() != nil || d.mount() != nil {
		_ = os.Remove(d.image)
		return nil
	}
	return d
}

func (d *disk) mount() error {
	if err := os.MkdirAll(d.at, 0o755); err != nil {
		return err
	}
	return exec.Command("mount", "-o", "loop", d.image, d.at).Run()
}

func (d *disk) unmount() {
	if d != nil {
		_ = exec.Command("umount", "-l", d.at).Run()
	}
}

// fullDisk fills the disk, writes and loads, and makes room again. Acknowledged writes must survive.
func (t *partnerSide) fullDisk(c chance, _ Step) {
	if t.disk == nil {
		return
	}
	filler := filepath.Join(t.disk.at, "filler")
	defer os.Remove(filler)
	var fs syscall.Statfs_t
	check(syscall.Statfs(t.disk.at, &fs))
	room := int64(fs.Bavail)*fs.Bsize - int64(c.IntN(200_000))
	_ = os.WriteFile(filler, make([]byte, max(0, room)), 0o600) // it fails once the disk is full
	t.damaged, t.trouble = true, true
	t.load(c, loading{feed: t.chunk(c), fault: "in trouble"})
	for range 3 {
		t.directory(c, Step{})
	}
	check(os.Remove(filler))
	t.damaged = false
	t.recovered()
}

// power reads the disk as a power failure would leave it. Acknowledged writes must survive.
func (t *harness) power(_ chance, _ Step) {
	if t.disk == nil {
		return
	}
	after := &disk{image: filepath.Join(t.dir, "after.img"), at: filepath.Join(t.dir, "after")}
	check(exec.Command("cp", "--sparse=always", t.disk.image, after.image).Run())
	defer os.Remove(after.image)
	if after.mount() != nil {
		return // the copy was made in the middle of a change
	}
	defer after.unmount()
	t.counts.kills.Add(1)
	t.elsewhere("sqlite:" + filepath.Join(after.at, "lectern.db"))
}

// elsewhere compares the answers from a copy of the database with the model.
func (t *harness) elsewhere(url string) {
	for _, l := range t.libraries { // then the next snapshot is current in both databases, or in neither
		l.whole(t.servers[0])
	}
	s := t.newServer()
	defer s.proxy.Close()
	s.db = url
	t.serve(s)
	defer s.kill()
	t.everything(s)
}

// backup copies a SQLite database while it is served. The copy must give the same answers.
func (t *harness) backup(_ chance, _ Step) {
	file := filepath.Join(t.dir, fmt.Sprintf("copy-%d.db", t.calls))
	t.must(nil, "backup", file)
	defer os.Remove(file)
	t.elsewhere("sqlite:" + file)
}

// flip flips a bit of a stored block. Answers must then be right or 500, and lectern check must find it. When the bit is
// flipped back, all answers must be right.
func (t *harness) flip(c chance, _ Step) {
	check(t.store.open(func(ctx context.Context, db *database.DB) error {
		var blocks [][]byte
		if err := db.NewRaw(`SELECT data FROM blocks ORDER BY data`).Scan(ctx, &blocks); err != nil || len(blocks) == 0 {
			return err
		}
		put := func(was, is []byte) {
			_, err := db.ExecContext(ctx, `UPDATE blocks SET data = ? WHERE data = ?`, is, was)
			check(err)
		}
		good := pick(c, blocks)
		bad := slices.Clone(good)
		bad[c.IntN(len(bad))] ^= 1 << c.IntN(8)
		put(good, bad)
		t.damaged = true
		t.restartAll(c)
		t.everything(t.servers[0])
		if len(t.checked()) == 0 {
			fail("lectern check --deep finds no flipped bit")
		}
		t.damaged = false
		put(bad, good)
		t.restartAll(c)
		t.everything(t.servers[0])
		return nil
	}))
}

// restartAll restarts the servers to empty their caches.
func (t *harness) restartAll(c chance) {
	for _, s := range t.servers {
		t.restart(s, c.one(2))
	}
}

// checked returns the problems that lectern check --deep finds, except clock, disk and fsync, which the trials change on purpose.
func (t *harness) checked() (found []string) {
	run := t.lectern("check", "--deep", "--json")
	for l := range strings.Lines(run.out.String()) {
		var item struct {
			Check, Detail string
			OK            bool
		}
		if err := json.Unmarshal([]byte(l), &item); err != nil {
			fail("%v: %v", err, run)
		}
		if !item.OK && item.Check != "clock" && item.Check != "disk" && item.Detail != "fsync is off" {
			found = append(found, item.Check+": "+item.Detail)
		}
	}
	return found
}
