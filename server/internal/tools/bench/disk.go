package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// disk tells what the disk alone takes for as much as a write is: a page that is written and waited for.
func (n *network) disk() error {
	f, err := os.Create(filepath.Join(n.dir, "disk"))
	if err != nil {
		return err
	}
	defer f.Close()
	w, page, start := written{}, make([]byte, 8<<10), time.Now()
	for range writesEach {
		begun := time.Now()
		_, err := f.Write(page)
		if err = errors.Join(err, f.Sync()); err != nil {
			return err
		}
		w.times = append(w.times, time.Since(begun))
	}
	w.wall = time.Since(start)
	n.row("a page on the disk, by hand", "–", whole(w.rate()), ms(median(w.times)), ms(w.late()), none, none)
	return nil
}

// durable starts a PostgreSQL on the disk, as it comes, and returns its URL: without waiting for the disk a write would cost less
// than its users pay. There is none where the others are not measured on PostgreSQL either.
func durable(ctx context.Context) (url string, stop func(), err error) {
	if os.Getenv(serverVariable) == "" {
		return "", func() {}, nil
	}
	cmd := exec.CommandContext(ctx, root+"/.ci/with-postgres", "sh", "-c", `echo "$`+serverVariable+`"; exec cat`)
	cmd.Env, cmd.Stderr = append(os.Environ(), serverVariable+"=", "DURABLE=1"), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()
		_ = cmd.Wait()
	}
	if url, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		stop()
		return "", nil, fmt.Errorf("PostgreSQL for writes: %w", err)
	}
	return strings.TrimSpace(url), stop, nil
}
