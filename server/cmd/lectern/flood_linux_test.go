package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

const (
	flooding     = 5000 / floodInRaces        // connections at once, each with a body of 1 MiB
	floodMemory  = 100_000_000 * floodInRaces // that the process may have
	floodedBytes = 1 << 20
	silent       = 1100 // connections that announce a body and send none
)

// TestFlood sends the directory bodies that no key signed, over thousands of connections. The process reads none of them, and
// a partner who signs is served meanwhile (P10).
func TestFlood(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	k := issued(t, ok(t, "key", "issue", "directory", "--partner", "ana"))
	addr, pid, stop := served(t)
	defer stop()
	f := &flood{addr: addr, key: k, body: bytes.Repeat([]byte("x"), floodedBytes)}

	over := make(chan struct{})
	go func() { defer close(over); f.run() }()
	calls, cut := 0, 0
	for done := false; !done; calls++ {
		select {
		case <-over:
			done = true
		default:
		}
		switch status, err := f.create(t, calls); {
		case err != nil: // its connection may be lost too
			cut++
		case status != 201:
			t.Errorf("a signed call beside the flood = %d, want 201", status)
		}
	}
	if cut > 1+calls/10 {
		t.Errorf("%d of %d signed calls beside the flood had no answer", cut, calls)
	}
	refused, lost, peak := f.refused.Load(), f.lost.Load(), peakMemory(t, pid)
	t.Logf("%d connections refused, %d lost, %d signed calls meanwhile; %d MB at the peak", refused, lost, calls, peak/1e6)
	if refused+lost != flooding || lost > flooding/10 || f.other.Load() > 0 {
		t.Errorf("%d refused, %d lost, %d answered otherwise, want all %d refused", refused, lost, f.other.Load(), flooding)
	}
	if peak >= floodMemory {
		t.Errorf("the process took %d MB, want less than %d", peak/1_000_000, floodMemory/1_000_000)
	}
}

// TestSilentBodies announces bodies over many connections and sends none. Each is answered and closed; a partner who signs is
// served meanwhile.
func TestSilentBodies(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	k := issued(t, ok(t, "key", "issue", "directory", "--partner", "ana"))
	addr, _, stop := served(t)
	defer stop()
	paths := []string{"POST /api/v2/partners/entities", "GET /api-platform/schools/v1/users", "GET /api-platform/libraries/v1/summary", "GET /", "PUT /nowhere"}
	answered, closed := make(chan bool, silent), make(chan bool, silent)
	for i := range silent {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: lectern\r\nContent-Length: 9\r\n\r\n", paths[i%len(paths)])
		go func() {
			answer := bufio.NewReader(c)
			res, err := http.ReadResponse(answer, nil)
			answered <- err == nil && res.Close
			if err == nil {
				_, err = io.Copy(io.Discard, answer)
			}
			closed <- err == nil
		}()
	}
	f := &flood{addr: addr, key: k}
	for i := range 20 {
		if status, err := f.create(t, i); status != 201 {
			t.Errorf("a signed call beside silent ones = %d, %v, want 201", status, err)
		}
	}
	count := func(of <-chan bool, n int) (yes int) {
		for range n {
			if <-of {
				yes++
			}
		}
		return yes
	}
	if n := count(answered, silent); n != silent {
		t.Errorf("%d of %d are answered and told that their connection is closed", n, silent)
	}
	if n := count(closed, silent); n != silent {
		t.Errorf("%d of %d ended well", n, silent)
	}
}

// served runs the server as a process of its own and returns where it listens.
func served(t *testing.T) (addr string, pid int, stop func()) {
	t.Helper()
	cmd := child(t, "serve", "--addr", "127.0.0.1:0", "--admin-addr=")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("the server says %q, %v, want where it listens", first, err)
	}
	at := strings.TrimPrefix(servedAt(t, first), "http://")
	read := make(chan struct{})
	go func() { defer close(read); io.Copy(io.Discard, lines) }()
	return at, cmd.Process.Pid, func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}

// peakMemory returns the most bytes of memory that a process has had.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if kb, found := strings.CutPrefix(line, "VmHWM:"); found {
			n, err := strconv.Atoi(strings.Fields(kb)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatalf("no VmHWM in %s", status)
	return 0
}

// flood is what the connections of a flood share.
type flood struct {
	addr string
	key  issuedKey
	body []byte

	refused, lost, other atomic.Int64
}

// run opens all connections and returns when the last has its answer.
func (f *flood) run() {
	var wg sync.WaitGroup
	for i := range flooding {
		wg.Go(func() { f.connect(i) })
	}
	wg.Wait()
}

// connect opens a connection, sends a request with a body that goes on until the server has closed it, and reads the answer.
// It may be lost where the connection is reset before it was read.
func (f *flood) connect(i int) {
	c, err := net.Dial("tcp", f.addr)
	if err != nil {
		f.other.Add(1)
		return
	}
	defer c.Close()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.(*net.TCPConn).SetWriteBuffer(64 << 10) // or the system's memory fills
		for _, err := io.WriteString(c, f.head(i)); err == nil; {
			_, err = c.Write(f.body)
		}
	}()
	line, err := bufio.NewReader(c).ReadString('\n')
	switch {
	case err != nil:
		f.lost.Add(1)
	case strings.HasPrefix(line, "HTTP/1.1 401 "):
		f.refused.Add(1)
	default:
		f.other.Add(1)
	}
	<-closed
}

// head returns the head of a request that is refused: without a signature, with a wrong one of the live key, or of another
// day, and with a length or in chunks.
func (f *flood) head(i int) string {
	lines := []string{"POST /api/v2/partners/entities HTTP/1.1", "Host: lectern", "Content-Type: application/json"}
	date := time.Now().UTC()
	switch i % 3 {
	case 1:
		lines = append(lines, "Authorization: APIAuth "+f.key.AccessKeyID+":AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	case 2:
		date = date.AddDate(0, 0, -1)
		s := auth.Signed{Method: "POST", Target: "/api/v2/partners/entities", ContentType: "application/json", Date: date.Format(http.TimeFormat)}
		lines = append(lines, "Authorization: "+auth.Sign(s, f.key.AccessKeyID, f.key.Secret, auth.SHA256))
	}
	lines = append(lines, "Date: "+date.Format(http.TimeFormat))
	if i%2 == 0 {
		return strings.Join(append(lines, fmt.Sprint("Content-Length: ", len(f.body))), "\r\n") + "\r\n\r\n"
	}
	chunk := fmt.Sprintf("%x\r\n", len(f.body))
	return strings.Join(append(lines, "Transfer-Encoding: chunked"), "\r\n") + "\r\n\r\n" + chunk
}

// create makes a signed call, over a connection of its own, and returns its status.
func (f *flood) create(t *testing.T, i int) (status int, err error) {
	t.Helper()
	body := fmt.Appendf(nil, `{"name":"Rede","entity_type":"network","degree":"F","reference_id":"n%d","parent_reference_id":"ana"}`, i)
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+f.addr+"/api/v2/partners/entities", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	r.Header.Set("Content-Type", "application/json")
	auth.Signer{ID: f.key.AccessKeyID, Secret: f.key.Secret}.Sign(r, body)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body)
	return res.StatusCode, nil
}
