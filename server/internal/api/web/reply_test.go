package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/internal/api/cache"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// endpoint answers replies, and counts how often one is read.
type endpoint struct {
	web.Front
	keeper
	erased bool // whether people were erased since the key was checked
	reads  int
	rows   []int64
}

// Check implements web.Keys.
func (d *endpoint) Check(context.Context, string, bool) (web.Caller, error) { return web.Caller{}, nil }

// keepAll is a cache that keeps every body.
type keepAll map[snapshot.Key]snapshot.Value

// Load implements snapshot.Cache.
func (s keepAll) Load(ctx context.Context, k snapshot.Key, load func(context.Context) (snapshot.Value, error)) (v snapshot.Value, err error) {
	v, ok := s[k]
	if !ok {
		if v, err = load(ctx); err == nil {
			s[k] = v
		}
	}
	return v, err
}

func newEndpoint() *endpoint {
	d := &endpoint{keeper: keeper{questions: 1 << 20}, rows: []int64{7}}
	d.Front = web.Front{Keys: d, Pulls: &d.keeper, Answers: &web.Answers{Build: func() string { return "one" }}}
	return d
}

// reply returns a reply that is a list.
func (d *endpoint) reply() web.Reply {
	p := web.Reply{Of: "/list", Rows: true, Read: func(context.Context, web.Snapshots, time.Time) (web.Content, error) {
		d.reads++
		rows := wire.Table[int64]{Write: func(w *wire.Writer, n *int64) { w.Int("n", *n, "") }}.Rows(paging.List[int64]{Rows: d.rows, Total: 12345, Erased: d.erased})
		return web.Content{Rows: rows}, nil
	}}
	p.Caller = web.Caller{Tenant: 1, Network: 2, Now: snapshot.Snapshot{Versions: snapshot.Versions{Registers: 3, Facts: 4}, Of: 5}, From: time.Unix(6, 0)}
	p.At = p.Now
	return p
}

// send sends a reply to a request with headers, which are given in pairs.
func (d *endpoint) send(t *testing.T, p web.Reply, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r, w := httptest.NewRequest("GET", "/list", nil), httptest.NewRecorder()
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	found, err := d.Find(r, p)
	if err != nil {
		t.Fatal(err)
	}
	found.Send(w, r)
	return w
}

// TestTagIsOfAllThatBytesDependOn tests that the tag depends on exactly what the bytes depend on.
func TestTagIsOfAllThatBytesDependOn(t *testing.T) {
	d := newEndpoint()
	tags := map[string]string{}
	for what, change := range map[string]func(*web.Reply){
		"nothing":                      func(*web.Reply) {},
		"tenant":                       func(p *web.Reply) { p.Tenant = 9 },
		"network":                      func(p *web.Reply) { p.Network = 9 },
		"registers":                    func(p *web.Reply) { p.At.Registers = 9 },
		"facts":                        func(p *web.Reply) { p.At.Facts = 9 },
		"since when facts are current": func(p *web.Reply) { p.From = time.Unix(9, 0) },
		"before the first load":        func(p *web.Reply) { p.From = time.Time{} },
		"question":                     func(p *web.Reply) { p.Of = "/lists" },
		"no list":                      func(p *web.Reply) { p.Rows = false },
		"people erased":                func(p *web.Reply) { p.People, p.Erasures = true, 9 },
		"form":                         nil,
		"build":                        nil,
	} {
		p := d.reply()
		var headers []string
		switch {
		case change != nil:
			change(&p)
		case what == "form":
			headers = []string{"Accept", "application/x-ndjson"}
		default:
			d.Answers = &web.Answers{Build: func() string { return "two" }}
		}
		if p.At != p.Now {
			p.Now = p.At // else it is an earlier snapshot, and the keeper says since when it was current
		}
		tag := d.send(t, p, headers...).Header().Get("ETag")
		if other, ok := tags[tag]; ok {
			t.Errorf("%s and %s have the same tag %s", what, other, tag)
		}
		tags[tag] = what
		d.Answers = &web.Answers{Build: func() string { return "one" }}
	}
	for what, change := range map[string]func(*web.Reply){
		"erasures where nobody is shown": func(p *web.Reply) { p.Erasures = 9 },
		"the day, which Of may name":     func(p *web.Reply) { p.At.Of, p.Now.Of = 9, 9 },
		"the current snapshot":           func(p *web.Reply) { p.Given = true },
	} {
		p := d.reply()
		change(&p)
		if tag := d.send(t, p).Header().Get("ETag"); tags[tag] != "nothing" {
			t.Errorf("%s: tag = %s, want it unchanged", what, tag)
		}
	}
}

// TestHadWithoutReading tests that a client that has the answer gets a 304 without a read. The total comes from the tag.
func TestHadWithoutReading(t *testing.T) {
	d := newEndpoint()
	for _, accept := range []string{"application/json", "text/csv"} {
		w := d.send(t, d.reply(), "Accept", accept)
		tag, reads := w.Header().Get("ETag"), d.reads
		base, _, _ := strings.Cut(tag, ".")
		for _, tt := range []struct {
			sent   string
			status int
			reads  int
		}{
			{tag, 304, 0}, {`"x", ` + tag, 304, 0}, {strings.TrimPrefix(tag, "W/"), 304, 0},
			{"*", 304, 1}, // it has no total
			{`"x"`, 200, 1}, {base + `"`, 200, 1}, {base + `."`, 200, 1}, {base + `.12345.1"`, 200, 1}, {base + `.-12345"`, 200, 1}, {base + `.012345"`, 200, 1},
		} {
			d.reads = 0
			w := d.send(t, d.reply(), "Accept", accept, "If-None-Match", tt.sent)
			if w.Code != tt.status || d.reads != tt.reads || (w.Body.Len() == 0) != (tt.status == 304) || w.Header().Get("ETag") != tag || w.Header().Get("X-Snapshot") == "" {
				t.Errorf("If-None-Match %s: %d, read %d times, %v; want %d, %d", tt.sent, w.Code, d.reads, w.Header(), tt.status, tt.reads)
			}
			if total := w.Header().Get("X-Total-Rows"); (total == "12345") != (accept != "application/json") {
				t.Errorf("If-None-Match %s: X-Total-Rows %q", tt.sent, total)
			}
		}
		if reads == 0 {
			t.Error("an answer was made without a read")
		}
	}
}

// TestHadOfASnapshot tests that the snapshot is checked even if the client has the answer: the use of a snapshot is noted,
// and one that has expired is an error.
func TestHadOfASnapshot(t *testing.T) {
	d := newEndpoint()
	then := d.reply()
	then.At, then.Given = snapshot.Snapshot{Versions: snapshot.Versions{Registers: 1, Facts: 1}}, true
	tag, used := d.send(t, then).Header().Get("ETag"), d.used
	d.reads = 0
	if w := d.send(t, then, "If-None-Match", tag); w.Code != 304 || d.reads > 0 || d.used != used+1 {
		t.Errorf("got %d, read %d times, used %d times more, want 304, 0 and 1", w.Code, d.reads, d.used-used)
	}
	d.questions = 0
	r := httptest.NewRequest("GET", "/list", nil)
	r.Header.Set("If-None-Match", tag)
	if _, err := d.Find(r, then); !errors.Is(err, web.ErrGone) {
		t.Errorf("Find of an expired snapshot: %v, want ErrGone", err)
	}
}

// TestLooseReply tests that the bytes of a loose reply are always made, and that the tag depends on them.
func TestLooseReply(t *testing.T) {
	d := newEndpoint()
	p := d.reply()
	p.Loose = true
	one := d.send(t, p).Header().Get("ETag")
	if w := d.send(t, p, "If-None-Match", one); w.Code != 304 || d.reads != 2 {
		t.Errorf("the same bytes: %d, read %d times, want 304 and 2", w.Code, d.reads)
	}
	d.rows = []int64{8}
	if w := d.send(t, p, "If-None-Match", one); w.Code != 200 || w.Header().Get("ETag") == one {
		t.Errorf("other bytes: %d %s, want 200 and another tag", w.Code, w.Header().Get("ETag"))
	}
}

// TestErasedBetweenKeyAndRead tests that an erasure between the key check and the read changes the tag of the answer.
func TestErasedBetweenKeyAndRead(t *testing.T) {
	d := newEndpoint()
	people := d.reply()
	people.People = true
	before := d.send(t, people).Header().Get("ETag")
	d.erased, d.rows = true, []int64{0}
	between := d.send(t, people)
	d.erased, people.Erasures = false, 1
	after := d.send(t, people)
	if tag := between.Header().Get("ETag"); tag == before || tag == after.Header().Get("ETag") || between.Body.String() != after.Body.String() {
		t.Errorf("before: tag %s; between: tag %s, body %s; after: header %v, body %s", before, tag, between.Body, after.Header(), after.Body)
	}
	if w := d.send(t, people, "If-None-Match", before); w.Code != 200 {
		t.Errorf("with the tag from before the erasure: %d, want 200", w.Code)
	}
}

// TestKeptBodies tests that a body that was made is sent again unchanged, in each form and coding, without a read.
func TestKeptBodies(t *testing.T) {
	for _, rows := range []int{1, 1000} { // a body too small to compress, and a large one
		d, kept := newEndpoint(), keepAll{}
		d.Answers.Kept, d.rows = kept, make([]int64, rows)
		texts := map[string]string{}
		for _, accept := range []string{"application/json", "text/csv", wire.XLSXType} {
			for _, coding := range []string{"", "gzip", "zstd", "gzip, zstd", "gzip, identity;q=0", "br"} {
				headers := []string{"Accept", accept, "Accept-Encoding", coding}
				made := d.send(t, d.reply(), headers...)
				d.reads = 0
				again := d.send(t, d.reply(), headers...)
				if d.reads > 0 || again.Code != 200 || again.Body.String() != made.Body.String() || fmt.Sprint(again.Header()) != fmt.Sprint(made.Header()) {
					t.Errorf("%s in %q again: read %d times, %d %v, was %v", accept, coding, d.reads, again.Code, again.Header(), made.Header())
				}
				text := body(t, again.Result())
				if was, ok := texts[accept]; ok && was != text {
					t.Errorf("%s in %q has another text", accept, coding)
				}
				texts[accept] = text
				if had := d.send(t, d.reply(), append(headers, "If-None-Match", "*")...); had.Code != 304 || d.reads > 0 || had.Header().Get("X-Total-Rows") != again.Header().Get("X-Total-Rows") {
					t.Errorf("%s in %q, If-None-Match: read %d times, %d %v", accept, coding, d.reads, had.Code, had.Header())
				}
			}
		}
		for k, v := range kept {
			if k.Tenant != 1 || k.At != d.reply().At.Versions || v.Bytes() < 32 {
				t.Errorf("%d bytes are cached under %+v", v.Bytes(), k)
			}
		}
	}
}

// TestNotKept tests that answers with people and loose answers are not kept.
func TestNotKept(t *testing.T) {
	for what, change := range map[string]func(*endpoint, *web.Reply){
		"people":   func(_ *endpoint, p *web.Reply) { p.People = true },
		"loose":    func(_ *endpoint, p *web.Reply) { p.Loose = true },
		"no cache": func(d *endpoint, _ *web.Reply) { d.Answers.Kept = nil },
	} {
		d, kept := newEndpoint(), keepAll{}
		d.Answers.Kept = kept
		p := d.reply()
		change(d, &p)
		for range 2 {
			if w := d.send(t, p); w.Code != 200 || len(kept) > 0 {
				t.Errorf("%s: %d, %d cached, want 200 and 0", what, w.Code, len(kept))
			}
		}
		if d.reads != 2 {
			t.Errorf("%s: read %d times, want both", what, d.reads)
		}
	}
}

// TestKeptApart tests that another snapshot, tenant, network or query has its own body.
func TestKeptApart(t *testing.T) {
	d := newEndpoint()
	d.Answers.Kept = keepAll{}
	d.send(t, d.reply())
	for what, change := range map[string]func(*web.Reply){
		"tenant": func(p *web.Reply) { p.Tenant = 9 }, "network": func(p *web.Reply) { p.Network = 9 }, "question": func(p *web.Reply) { p.Of = "/" },
		"snapshot": func(p *web.Reply) { p.At.Facts, p.Now.Facts = 9, 9 },
	} {
		p := d.reply()
		change(&p)
		d.reads = 0
		if d.send(t, p); d.reads != 1 {
			t.Errorf("another %s: read %d times, want once", what, d.reads)
		}
	}
}

// TestMadeOnce tests that simultaneous requests make a body once, even if the request that began it leaves.
func TestMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p, release := newEndpoint(), newEndpoint().reply(), make(chan struct{})
		d.Answers.Kept = cache.New(1 << 20)
		read, reads := p.Read, 0
		p.Read = func(ctx context.Context, s web.Snapshots, from time.Time) (web.Content, error) {
			reads++
			<-release
			if ctx.Err() != nil {
				return web.Content{}, ctx.Err()
			}
			return read(ctx, s, from)
		}
		ask := func(ctx context.Context) <-chan error {
			failed := make(chan error, 1)
			go func() {
				_, err := d.Find(httptest.NewRequest("GET", "/list", nil).WithContext(ctx), p)
				failed <- err
			}()
			synctest.Wait()
			return failed
		}
		ctx, leave := context.WithCancel(t.Context())
		first := ask(ctx)
		others := []<-chan error{ask(t.Context()), ask(t.Context())}
		leave()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("canceled request: %v, want %v", err, context.Canceled)
		}
		close(release)
		for _, other := range others {
			if err := <-other; err != nil {
				t.Errorf("another request: %v, want nil", err)
			}
		}
		if reads != 1 {
			t.Errorf("read %d times, want once", reads)
		}
	})
}

// TestSlots tests that the slots bound the replies read at once. A reply that waits in its own queue takes none.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEndpoint()
		d.Answers.Slots = semaphore.NewWeighted(2)
		release := make(chan struct{})
		var reading, queueing, answered atomic.Int64
		p := d.reply()
		p.Read = func(context.Context, web.Snapshots, time.Time) (web.Content, error) {
			reading.Add(1)
			<-release
			return web.Content{Members: func(*wire.Writer) {}}, nil
		}
		queued := p
		queued.Enter = func(context.Context, web.Snapshots) (func(), error) {
			queueing.Add(1)
			<-release
			return func() { queueing.Add(-1) }, nil
		}
		for _, reply := range []web.Reply{queued, queued, queued, p, p, p} {
			go func() {
				if _, err := d.Find(httptest.NewRequest("GET", "/list", nil), reply); err == nil {
					answered.Add(1)
				}
			}()
			synctest.Wait()
		}
		if reading.Load() != 2 || queueing.Load() != 3 {
			t.Errorf("%d replies being read and %d in the queue, want 2 and 3", reading.Load(), queueing.Load())
		}
		close(release)
		synctest.Wait()
		if reading.Load() != 6 || queueing.Load() != 0 || answered.Load() != 6 {
			t.Errorf("at the end: %d read, %d in the queue, %d answered, want 6, 0 and 6",
				reading.Load(), queueing.Load(), answered.Load())
		}
	})
}

// TestNoSlot tests that a reply that its queue refuses is not read. A reply whose context ends before there is a slot
// leaves its queue.
func TestNoSlot(t *testing.T) {
	d := newEndpoint()
	d.Answers.Slots = semaphore.NewWeighted(0)
	p, left := d.reply(), 0
	p.Enter = func(context.Context, web.Snapshots) (func(), error) { return func() { left++ }, nil }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Find(httptest.NewRequest("GET", "/list", nil).WithContext(ctx), p); !errors.Is(err, context.Canceled) || left != 1 {
		t.Errorf("without a slot: %v, left %d times, want %v and once", err, left, context.Canceled)
	}
	p.Enter = func(context.Context, web.Snapshots) (func(), error) { return nil, web.ErrKey }
	if _, err := d.Find(httptest.NewRequest("GET", "/list", nil), p); err != web.ErrKey || d.reads > 0 {
		t.Errorf("refused by its queue: %v, read %d times, want %v and none", err, d.reads, web.ErrKey)
	}
}
