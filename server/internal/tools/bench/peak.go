package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
	"github.com/lectern-dev/lectern/server/internal/tools/proxy"
)

const (
	peakWithin = 10 * time.Millisecond // 99 of 100 requests
	peakFor    = 5 * time.Second
	searches   = 2           // of each binary; the best counts
	callers    = 16          // connections that find the rate at which the search begins
	workers    = 128         // connections that send at a rate: twice as many as a rate that is held needs
	clients    = 32          // how many keys the requests have. All requests of a key are counted in one row
	tooLate    = time.Second // a request that is this late is not sent
	garbage    = 2000        // percent, so that the client's collector does not count as the server's latency
	heap       = 1 << 30     // bytes from which it collects nevertheless
)

// pressure sends requests to two servers of a database, whether they keep up or not.
type pressure struct {
	servers  []*serving
	requests [][]string // by key

	mu     sync.Mutex
	took   []float64
	lost   int   // requests that were not sent because all workers were busy for too long
	failed error // the first error, which ends the requests
}

// press starts the servers of a network, and chooses small pages to request with the keys of several clients.
func (n *network) press(ctx context.Context) *pressure {
	p := &pressure{servers: []*serving{n.start(ctx), n.start(ctx)}}
	for range clients {
		p.requests = append(p.requests, n.smallPages(n.newKey(ctx)))
	}
	return p
}

// smallPages returns requests with a key.
func (n *network) smallPages(key string) (requests []string) {
	all := between(n.first, n.last())
	for page := range 3 {
		for _, path := range []string{"/users?", "/engagements" + all + "&", "/readings" + all + "&"} {
			requests = append(requests, fmt.Sprintf("GET %s%spageSize=2&page=%d HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\n\r\n", n.prefix, path, page+1, key))
		}
	}
	return requests
}

func (p *pressure) stop() {
	for _, s := range p.servers {
		s.stop()
	}
}

// send sends requests for a time over several connections: rate of them a second, or with a rate of 0 each after the previous
// response. A request's time begins when it is due, even if all connections are busy. So a late request counts as late.
func (p *pressure) send(ctx context.Context, rate, connections int, duration time.Duration) {
	within, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	p.took, p.lost, p.failed = p.took[:0], 0, nil
	began, next := time.Now(), atomic.Int64{}
	due := func() time.Time {
		if rate == 0 {
			return time.Now()
		}
		return began.Add(time.Duration(next.Add(1)) * time.Second / time.Duration(rate))
	}
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() {
			if err := p.work(within, p.servers[i%len(p.servers)], p.requests[i/len(p.servers)%clients], due); err != nil {
				p.mu.Lock()
				p.failed = cmp.Or(p.failed, err)
				p.mu.Unlock()
				cancel()
			}
		})
	}
	all.Wait()
	p.failed = cmp.Or(p.failed, ctx.Err())
}

// work sends requests over one connection as they are due. It takes little processor time, since the servers run on the same machine.
func (p *pressure) work(ctx context.Context, s *serving, requests []string, due func() time.Time) error {
	conn, err := net.Dial("tcp", strings.Split(s.url, "/")[2])
	if err != nil {
		return err
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for n := 0; ; n++ {
		at := due()
		time.Sleep(time.Until(at))
		if ctx.Err() != nil {
			return nil
		}
		sent := time.Since(at) < tooLate
		if sent {
			if err := exchange(conn, answers, requests[n%len(requests)]); err != nil {
				return err
			}
		}
		p.mu.Lock()
		if p.took = append(p.took, float64(time.Since(at))); !sent {
			p.lost++
		}
		p.mu.Unlock()
	}
}

func exchange(conn net.Conn, answers *bufio.Reader, request string) error {
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	res, err := http.ReadResponse(answers, nil)
	if err != nil {
		return err
	}
	if _, err = io.Copy(io.Discard, res.Body); err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	return err
}

// peak measures the highest rate that two servers of each binary hold. If options.hold is set, it then holds 80 % of that rate.
func (t networks) peak(ctx context.Context) {
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(heap))
	var rates samples
	for round := range searches {
		t.each(round, func(i int, n *network) {
			p := n.press(ctx)
			defer p.stop()
			rates.add(i, float64(p.search(ctx)))
		})
	}
	n, best := t.now(), rates.by(slices.Max)
	n.line(fmt.Sprintf("\nRequests a second held by two servers: %s.", best.cell(number)))
	if best.now() == 0 {
		n.reached(peakRate, 0, "peak")
		return
	}
	n.reached(peakRate, best.ratio(), "peak")
	if minutes := n.options.hold; minutes > 0 {
		n.hold(ctx, minutes, int(best.now())*8/10)
	}
}

// search starts from the rate of callers that wait for each response, and goes down a tenth of it at a time. It returns
// the first rate that is held, or 0 if not even a fifth is.
func (p *pressure) search(ctx context.Context) int {
	p.send(ctx, 0, callers, peakFor)
	check(p.failed)
	top := len(p.took) / int(peakFor/time.Second)
	for tenths := 10; tenths > 1; tenths-- {
		rate := top * tenths / 10
		if once := p.holds(ctx, rate); once && p.holds(ctx, rate) {
			return rate
		}
	}
	return 0
}

// holds reports whether the servers hold a rate for peakFor.
func (p *pressure) holds(ctx context.Context, rate int) bool {
	p.send(ctx, rate, workers, peakFor)
	return p.failed == nil && time.Duration(percentile(p.took, 99)) <= peakWithin
}

// hold sends requests at a rate for some minutes, beside directory writes and a load every five minutes. It writes a
// line each minute. All requests must be answered, and all schools must have their last names at the end.
func (n *network) hold(ctx context.Context, minutes, rate int) {
	p := n.press(ctx)
	defer p.stop()
	directory := *n
	directory.domain = &directoryWrites
	w := directory.writer(ctx)
	defer w.stop()
	n.heading(fmt.Sprintf("minute at %d requests a second", rate), "median, ms", "99 of 100 within, ms", "not sent", "memory of both servers, MiB")
	written := 0
	for minute := range minutes {
		within, cancel := context.WithTimeout(ctx, time.Minute)
		result := make(chan error, 1)
		go func() { result <- n.change(within, w, minute, &written) }()
		p.send(ctx, rate, workers, time.Minute)
		cancel()
		check(errors.Join(<-result, p.failed))
		memory := resident(p.servers[0].cmd.Process.Pid, "VmRSS:") + resident(p.servers[1].cmd.Process.Pid, "VmRSS:")
		n.row(fmt.Sprint(minute), milliseconds.of(median(p.took)), milliseconds.of(percentile(p.took, 99)), fmt.Sprint(p.lost), mebibytes.of(float64(memory)))
	}
	for i := max(0, written-changed); i < written; i++ {
		if answer := must(w.send(http.MethodGet, fmt.Sprint("/entities/school-", i%changed), nil)); !bytes.Contains(answer, []byte(nthName(i))) {
			check(fmt.Errorf("%s is lost: %s", nthName(i), answer))
		}
	}
}

// changed is how many schools change creates. After that it changes them, so that the data do not grow.
const changed = 60

// writeEvery is the time between two directory writes while the peak is held. Each begins a snapshot, and the later pages of a client
// take more statements until the client has requested page 1 again.
const writeEvery = 10 * time.Second

// nthName is the name that the n-th write gives to its school.
func nthName(n int) string { return fmt.Sprintf("School %d.", n) }

// change makes a directory write every ten seconds until ctx is done. In every fifth minute it loads the events of another day first.
func (n *network) change(ctx context.Context, w *writer, minute int, written *int) error {
	if minute%5 == 0 {
		p, dir := n.params(), filepath.Join(n.dir, "hold")
		p.Days, p.First, p.Seed = 1, n.last()+1+calendar.Date(minute), uint64(minute)+2
		_, err := generate.Schools(ctx, dir, p)
		if err == nil {
			args := append([]string{"load", n.name, dir, "--db", n.db}, n.flags["load"]...)
			err = exec.CommandContext(ctx, n.binary(), args...).Run()
		}
		if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
			return err
		}
	}
	for each := time.NewTicker(writeEvery); ; {
		method := http.MethodPost
		if *written >= changed {
			method = http.MethodPut
		}
		if err := w.school(method, *written%changed, nthName(*written)); err != nil {
			return err
		}
		*written++
		select {
		case <-ctx.Done():
			return nil
		case <-each.C:
		}
	}
}

// frozen measures how long a server takes to switch from a primary that hangs to another one.
func (t networks) frozen(ctx context.Context) {
	const times = 2
	var left samples
	for round := range times {
		t.each(round, func(i int, n *network) { left.add(i, n.freeze(ctx).Seconds()) })
	}
	n, worst := t.now(), left.by(slices.Max)
	n.line(fmt.Sprintf("\nA frozen primary is left after so many seconds, the worst of %d: %s.", times, worst.cell(seconds)))
	n.reached(frozenPrimary, worst.now(), "frozen")
}

// freeze starts a server with two routes to the database, freezes the first one, and returns how long no request was
// answered within a second.
func (n *network) freeze(ctx context.Context) time.Duration {
	u := must(url.Parse(n.db))
	primary := must(proxy.New(u.Host, nil))
	defer primary.Close()
	u.RawQuery = "sslmode=disable" // without a timeout, so that Lectern's own applies
	through := *n
	through.db = strings.Replace(u.String(), u.Host, primary.Addr()+","+u.Host, 1)
	s := through.start(ctx)
	defer s.stop()
	for range 20 {
		s.call("/users?pageSize=2", "")
	}
	primary.Frozen.Store(true)
	for start := time.Now(); ; {
		took, _, _, err := s.try("/users?pageSize=2", "")
		if left := time.Since(start); err == nil && took < 1e9 || left > time.Minute {
			return left // an earlier commit may never leave it
		}
	}
}
