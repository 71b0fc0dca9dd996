package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// A disk is a small one of a trial's own, in a file: it can be full, and what it has been told to keep can be looked at as it
// would be found after the power has failed. Only root can make one.
type disk struct{ image, at string }

const diskSize = 96 << 20

// newDisk makes a disk, or returns nil where that is not permitted.
func newDisk(dir string) *disk {
	d := &disk{image: filepath.Join(dir, "disk.img"), at: filepath.Join(dir, "disk")}
	f, err := os.Create(d.image)
	if err != nil {
		return nil
	}
	err = f.Truncate(diskSize)
	f.Close()
	if err != nil || exec.Command("mkfs.ext4", "-q", "-F", d.image).Run() != nil || d.mount() != nil {
		os.Remove(d.image)
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

// fullDisk fills the disk, tries to write and to load, and makes room again. What was not acknowledged is not there.
func (t *partnerSide) fullDisk(c chance, _ Step) error {
	if t.disk == nil {
		return nil
	}
	filler := filepath.Join(t.disk.at, "filler")
	var fs syscall.Statfs_t
	if err := syscall.Statfs(t.disk.at, &fs); err != nil {
		return err
	}
	room := int64(fs.Bavail)*fs.Bsize - int64(c.IntN(200_000))
	if err := os.WriteFile(filler, make([]byte, max(0, room)), 0o600); err != nil && !os.IsExist(err) {
		room = 0 // it is full
	}
	t.damaged, t.trouble = true, true
	err := t.load(c, loading{feed: t.chunk(c), fault: "in trouble"})
	for range 3 {
		if err == nil {
			err = t.directory(c, Step{})
		}
	}
	_ = os.Remove(filler)
	t.damaged = false
	if err != nil {
		return fmt.Errorf("on a full disk: %w", err)
	}
	return t.recovered()
}

// power looks at the disk as the power's failure would leave it: all that was acknowledged is there.
func (t *harness) power(_ chance, _ Step) error {
	if t.disk == nil {
		return nil
	}
	after := &disk{image: t.file("after.img"), at: t.file("after")}
	if err := exec.Command("cp", "--sparse=always", t.disk.image, after.image).Run(); err != nil {
		return err
	}
	defer os.Remove(after.image)
	if err := after.mount(); err != nil {
		return nil // it was copied in the middle of a change
	}
	defer after.unmount()
	t.counts.kills.Add(1)
	if err := t.elsewhere("sqlite:" + filepath.Join(after.at, "lectern.db")); err != nil {
		return fmt.Errorf("after the power failed: %w", err)
	}
	return nil
}

// elsewhere holds what a copy of the database answers against what the database must.
func (t *harness) elsewhere(url string) error {
	for _, l := range t.libraries { // what waited holds in both then, wherever the clock is put
		if err := l.whole(t.servers[0]); err != nil {
			return err
		}
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	p, err := newProxy("127.0.0.1:" + port)
	if err != nil {
		return err
	}
	defer p.close()
	s := &server{port: port, proxy: p, db: url}
	if err := t.serve(s); err != nil {
		return err
	}
	defer s.kill()
	return t.everything(s)
}

// backup copies an embedded database while it is served; the copy answers as it does.
func (t *harness) backup(_ chance, _ Step) error {
	file := t.file(fmt.Sprintf("copy-%d.db", t.calls))
	if err := t.must(nil, "backup", file); err != nil {
		return err
	}
	defer os.Remove(file)
	if err := t.elsewhere("sqlite:" + file); err != nil {
		return fmt.Errorf("of a backup: %w", err)
	}
	return nil
}
