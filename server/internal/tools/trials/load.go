package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of the load test.
const (
	idleConnections = 5000
	mostWaiting     = 2000 // requests in flight; one more counts as lost
	peakClients     = 16
	peakFor         = 30 * time.Second
	peakTurns       = 4                     // of peakFor each, since half minutes differ
	peakWithin      = 10 * time.Millisecond // 99 of 100 requests
	peakStep        = 10                    // percent
	writeEvery      = time.Second           // to the directory
	loadEvery       = 300                   // writes
	clientGarbage   = 2000                  // percent, so that the client's collector does not count as the server's latency
	mostGrown       = 20                    // percent that memory may grow from the second third of the test to the last
)

// A pressure is a load test: requests are sent at 80 % of the peak rate, whether the server keeps up or not.
type pressure struct {
	t         *harness
	targets   []target
	mu        sync.Mutex
	took, all times // since the last sample, and since the peak was found
	bad       []string
	lost      int // requests that were not sent, since mostWaiting were in flight
	samples   []sample
}

// A target is a request to one of the servers.
type target struct {
	server  int
	request []byte
	route   string
}

// sample has the measurements of one second.
type sample struct {
	requests    int
	median, p99 time.Duration
	memory      int
}

// pressed runs a load test for some minutes and writes the measurements of each second to load.csv in a folder.
func (t *harness) pressed(ctx context.Context, minutes int, out string) error {
	t.store.direct = true
	if err := t.begin(); err != nil {
		return err
	}
	c := newChance(t.scenario.Seed)
	of, l := t.partners[0], t.libraries[0]
	for range 5 {
		if err := errors.Join(of.load(c, loading{feed: of.chunk(c)}), l.load(c, loading{feed: l.chunk(c), now: true})); err != nil {
			return err
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(clientGarbage))
	p := &pressure{t: t, targets: t.targets()}
	p.forget()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { p.idle(ctx) })
	wait(ctx, idleConnections*time.Millisecond) // until all are connected
	wrong := make(chan error, 1)
	wg.Go(func() { wrong <- p.changes(ctx, c) })
	peak, err := p.peak(ctx) // beside the same writes, which invalidate cached answers
	if err != nil {
		return err
	}
	rate := peak * 8 / 10
	fmt.Printf("peak %d requests a second; %d a second for %d minutes, beside %d idle connections\n", peak, rate, minutes, idleConnections)
	time.AfterFunc(time.Duration(minutes)*time.Minute, cancel)
	wg.Go(func() { p.watch(ctx) })
	p.open(ctx, rate, func() {})
	wg.Wait()
	if err := <-wrong; err != nil {
		return err
	}
	return errors.Join(p.table(filepath.Join(out, "load.csv")), p.judged(), t.everything(t.servers[0]))
}

// targets returns requests to every server, as clients send them.
func (t *harness) targets() (all []target) {
	today := dayOf(t.clock.now())
	for n := range t.servers {
		add := func(route, more, key string) {
			request := "GET " + route + more + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: " + key + "\r\n\r\n"
			all = append(all, target{n, []byte(request), route})
		}
		for page := range 3 {
			for _, route := range []string{"/users?", "/engagements?startDate=2026-08-01&", "/readings?startDate=2026-08-01&"} {
				add(schoolsPrefix+route, fmt.Sprintf("pageSize=2&page=%d", page+1), t.partners[0].keys[0].nth(0))
			}
		}
		for _, route := range []string{"/users", "/summary", "/datasets/loans", "/engagements?startDate=" + addDays(today, -20) + "&endDate=" + today} {
			add(librariesPrefix+route, "", t.libraries[0].keys[0].nth(0))
		}
	}
	return all
}

// An asker sends one request after another over one connection to each server. It is a client that takes little processor time,
// since the servers run on the same machine.
type asker struct {
	p     *pressure
	conns []net.Conn // nil where there is none yet
	reads []*bufio.Reader
}

func (p *pressure) asker() *asker {
	return &asker{p, make([]net.Conn, len(p.t.servers)), make([]*bufio.Reader, len(p.t.servers))}
}

func (a *asker) close() {
	for _, conn := range a.conns {
		if conn != nil {
			conn.Close()
		}
	}
}

// ask sends one request, which must be answered with 200, or 503 from the queue of the libraries' users.
func (a *asker) ask(n int, since time.Time) {
	p, to := a.p, a.p.targets[n%len(a.p.targets)]
	status, err := a.get(to)
	if err != nil && a.conns[to.server] != nil {
		a.conns[to.server].Close()
		a.conns[to.server] = nil
	}
	took := time.Since(since)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took.add(took)
	p.all.add(took)
	queued := status == http.StatusServiceUnavailable && to.route == librariesPrefix+"/users"
	if (err != nil || status != http.StatusOK) && !queued && len(p.bad) < 10 {
		p.bad = append(p.bad, fmt.Sprintf("%s: %d %v", to.request, status, err))
	}
}

// get sends a request and reads the whole answer.
func (a *asker) get(to target) (status int, err error) {
	n := to.server
	if a.conns[n] == nil {
		if a.conns[n], err = net.Dial("tcp", "127.0.0.1:"+a.p.t.servers[n].port); err != nil {
			return 0, err
		}
		a.reads[n] = bufio.NewReader(a.conns[n])
	}
	if err := a.conns[n].SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	if _, err := a.conns[n].Write(to.request); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(a.reads[n], nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, errors.Join(err, res.Body.Close())
}

// peak returns the highest rate, in requests a second, at which 99 of 100 requests are answered within peakWithin in each of some
// turns. The search goes down from the rate that some clients reach which wait for each answer.
func (p *pressure) peak(ctx context.Context) (rate int, err error) {
	within, cancel := context.WithTimeout(ctx, peakFor)
	defer cancel()
	var n atomic.Int64
	many(within, peakClients, func(int) {
		a := p.asker()
		defer a.close()
		for within.Err() == nil {
			a.ask(int(n.Add(1)), time.Now())
		}
	})
	rate = int(n.Load()) / int(peakFor/time.Second)
	fmt.Printf("%d requests a second by %d clients that wait for each answer\n", rate, peakClients)
	for p.forget(); ctx.Err() == nil && rate > 0; rate -= rate * peakStep / 100 {
		turns := 0
		for turns < peakTurns && p.holds(ctx, rate) {
			turns++
		}
		if turns == peakTurns {
			return rate, nil
		}
	}
	return 0, errors.New("the server keeps up with no rate")
}

// holds reports whether the servers keep up with a rate for one turn.
func (p *pressure) holds(ctx context.Context, rate int) bool {
	defer p.forget()
	within, cancel := context.WithTimeout(ctx, peakFor)
	defer cancel()
	p.open(within, rate, cancel)
	p99 := p.took.within(99)
	fmt.Printf("%d a second: median %v, p99 %v, %d not sent\n", rate, p.took.within(50), p99, p.lost)
	return p.lost == 0 && p99 <= peakWithin
}

// forget restarts the measurements.
func (p *pressure) forget() { p.lost, p.took, p.all = 0, times{}, times{} }

// many calls do again and again in n goroutines until ctx is done.
func many(ctx context.Context, n int, do func(n int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for wait(ctx, time.Duration(i)*time.Millisecond); ctx.Err() == nil; {
				do(i)
			}
		})
	}
	wg.Wait()
}

// open sends requests at a rate until ctx is done, and waits for the last answers. The time of a request begins when it was due.
// A request that is due while mostWaiting are in flight is lost, and over is called.
func (p *pressure) open(ctx context.Context, rate int, over func()) {
	type call struct {
		n   int
		due time.Time
	}
	calls := make(chan call)
	var wg sync.WaitGroup
	began, askers := time.Now(), 0
	for n := 0; ctx.Err() == nil; n++ {
		c := call{n, began.Add(time.Duration(n) * time.Second / time.Duration(max(1, rate)))}
		time.Sleep(time.Until(c.due))
		select {
		case calls <- c:
			continue
		default:
		}
		if askers == mostWaiting {
			p.lost++
			over()
			continue
		}
		askers++
		wg.Go(func() {
			a := p.asker()
			defer a.close()
			a.ask(c.n, c.due)
			for c := range calls {
				a.ask(c.n, c.due)
			}
		})
	}
	close(calls)
	wg.Wait()
}

// idle holds connections that send a request without a key once a minute.
func (p *pressure) idle(ctx context.Context) {
	const request = "GET " + schoolsPrefix + "/users HTTP/1.1\r\nHost: x\r\n\r\n"
	many(ctx, idleConnections, func(n int) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+p.t.servers[n%len(p.t.servers)].port)
		if err != nil {
			wait(ctx, time.Second)
			return
		}
		defer conn.Close()
		for pause := time.Minute * time.Duration(n) / idleConnections; err == nil && ctx.Err() == nil; pause = time.Minute { // they do not all send at the same time
			wait(ctx, pause)
			_, wrong := io.WriteString(conn, request)
			_, err = conn.Read(make([]byte, 4096))
			err = errors.Join(err, wrong)
		}
	})
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// changes writes to the directory and loads feeds, and compares the answers with the model.
func (p *pressure) changes(ctx context.Context, c chance) error {
	of := p.t.partners[0]
	due := time.NewTicker(writeEvery)
	defer due.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		var err error
		if n%loadEvery == loadEvery-1 {
			err = of.load(c, loading{feed: of.chunk(c)})
		} else {
			err = of.directory(c, Step{})
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-due.C:
		}
	}
	return nil
}

// watch takes a sample every second.
func (p *pressure) watch(ctx context.Context) {
	for ctx.Err() == nil {
		wait(ctx, time.Second)
		p.mu.Lock()
		took := p.took
		p.took = times{}
		p.mu.Unlock()
		memory := 0
		for _, s := range p.t.servers {
			memory += resident(s.Process.Pid)
		}
		if took.n > 0 {
			p.samples = append(p.samples, sample{took.n, took.within(50), took.within(99), memory})
		}
	}
}

// times is a histogram of durations with steps of about one percent. A list would grow and be copied while requests wait.
type times struct {
	n      int
	counts [64 * timesStep]int // from one nanosecond to all of an int64
}

const timesStep = 64 // a doubling

func (t *times) add(d time.Duration) {
	t.counts[int(timesStep*math.Log2(float64(max(1, d))))]++
	t.n++
}

// within returns a percentile.
func (t *times) within(percent int) time.Duration {
	before, i := 0, 0
	for ; i < len(t.counts)-1; i++ {
		if before += t.counts[i]; before*100 > t.n*percent {
			break
		}
	}
	return time.Duration(math.Exp2(float64(i+1) / timesStep))
}

// judged prints the measurements and returns what broke a promise.
func (p *pressure) judged() error {
	if len(p.samples) < 6 {
		return errors.New("nothing was measured")
	}
	median, p99 := p.all.within(50), p.all.within(99)
	middle, end := p.memory(1), p.memory(2)
	fmt.Printf("%d requests: median %v, p99 %v (%.1f times); memory %d MiB in the middle, %d at the end; %d writes, %d loads\n", p.all.n, median, p99,
		float64(p99)/float64(median), middle>>20, end>>20, p.t.counts.writes.Load(), p.t.counts.loads.Load())
	switch {
	case p.lost > 0:
		return differs("%d requests were not sent, as %d waited", p.lost, mostWaiting)
	case len(p.bad) > 0:
		return differs("requests that were not answered: %q", p.bad)
	case p99 > 10*median:
		return differs("p99 is %v, more than ten times the median %v", p99, median)
	case end*100 > middle*(100+mostGrown):
		return differs("memory grew from %d to %d MiB", middle>>20, end>>20)
	}
	return nil
}

// memory returns the median of a third of the samples.
func (p *pressure) memory(third int) int {
	n := len(p.samples) / 3
	var all []int
	for _, s := range p.samples[third*n : (third+1)*n] {
		all = append(all, s.memory)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// table writes the samples as CSV.
func (p *pressure) table(file string) error {
	var b strings.Builder
	b.WriteString("requests,median,p99,memory\n")
	for _, s := range p.samples {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", s.requests, s.median.Microseconds(), s.p99.Microseconds(), s.memory>>20)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// resident returns the resident memory of a process in bytes.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	var kib int
	if _, rest, ok := strings.Cut(string(text), "VmRSS:"); ok {
		fmt.Sscan(rest, &kib)
	}
	return kib << 10
}
