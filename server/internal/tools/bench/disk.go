package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// durable starts a PostgreSQL with fsync on the disk and returns its URL, since users pay for waiting for the disk. It starts none if
// PostgreSQL is not measured.
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
