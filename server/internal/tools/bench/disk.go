package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

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
