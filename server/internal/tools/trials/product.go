package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// product is the binary under test.
type product struct{ path string }

// clock is the clock of a scenario, which steps move forward and back. Every command starts with it.
type clock struct {
	offset time.Duration
	base   time.Time // the time to which it was last set: the events of a feed are before it
	far    time.Time // the latest time that it had before it was last set
}

func (c *clock) now() time.Time { return time.Now().Add(c.offset) }

// put sets the clock.
func (c *clock) put(t time.Time) { c.far, c.offset, c.base = c.latest(), time.Until(t), t }

// latest returns the latest time that the clock ever had: data that was removed then stays removed.
func (c *clock) latest() time.Time {
	if now := c.now(); now.After(c.far) {
		return now
	}
	return c.far
}

// command is a run of the binary.
type command struct {
	*exec.Cmd
	out, errs output
	from      time.Time // by the scenario's clock
	done      chan struct{}
	err       error
}

// output is the output of a command, which may be read while the command runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts a command whose clock begins at a time.
func (p *product) start(env []string, at time.Time, args ...string) *command {
	c := &command{Cmd: exec.Command(p.path, args...), from: at, done: make(chan struct{})}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt reaches only the trials, which end the commands that they started
	c.Env = slices.Concat(os.Environ(), env, []string{"LECTERN_CLOCK=" + at.Format(time.RFC3339Nano)})
	c.Stdout, c.Stderr = &c.out, &c.errs
	check(c.Start())
	go func() {
		c.err = c.Wait()
		close(c.done)
	}()
	return c
}

// errHangs is the error of a command that does not end.
var errHangs = errors.New("does not end")

// patience is how long a command or a call may take before it counts as hanging.
const patience = 90 * time.Second

// ended waits for a command's end, and kills one that hangs.
func (c *command) ended() error {
	select {
	case <-c.done:
		return c.err
	case <-time.After(patience):
		_ = c.Process.Kill()
		<-c.done
		return errHangs
	}
}

// runs reports whether a command has not ended.
func (c *command) runs() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

func (c *command) String() string {
	return fmt.Sprintf("%s: %v\n%s%s", strings.Join(c.Args, " "), c.err, c.out.String(), c.errs.String())
}
