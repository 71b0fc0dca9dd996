package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// directoryWrites are what a partner's own programs write.
var directoryWrites = domain{
	name: "directory", tenant: "partner", prefix: "/api/v2/partners",
	flags: map[string][]string{"key": {"--partner", "bench"}},
}

// writesEach is how many writes of a kind are measured, in writeTurns turns, in which the binaries are measured one after another.
const writesEach, writeTurns = 2000, 8

// write is a kind of writes: the n-th of a run.
type write struct {
	name, method string
	path         func(n int) string
	body         func(n int) map[string]string
}

// writeKinds follow one another: what is changed was created.
var writeKinds = []write{
	{"an entity created", http.MethodPost, func(int) string { return "/entities" }, func(n int) map[string]string { return school(n, "created") }},
	{"an entity changed", http.MethodPut, func(n int) string { return fmt.Sprint("/entities/school-", n) }, func(n int) map[string]string { return school(n, "changed") }},
}

func school(n int, name string) map[string]string {
	return map[string]string{
		"name": fmt.Sprint("School ", n, " ", name), "entity_type": "school", "degree": "F", "inep": fmt.Sprint(10_000_000 + n), "state": "PA", "city": "Belém",
		"reference_id": fmt.Sprint("school-", n), "parent_reference_id": "network",
	}
}

// writer is a server of a database with nothing but a partner, and its key.
type writer struct {
	*serving
	auth.Signer
	client http.Client
}

// written are the figures of one kind of writes of a binary.
type written struct {
	times              []time.Duration
	wall, server, base time.Duration
}

// writes measures the writes of the binaries, the last of which is the present one, in both engines.
func (d *document) writes(ctx context.Context, binaries ...product) error {
	server, stop, err := durable(ctx)
	if err != nil {
		return err
	}
	defer stop()
	key := make([]byte, 32)
	rand.Read(key)
	os.Setenv("LECTERN_SECRET_KEY", base64.StdEncoding.EncodeToString(key))
	return engines(func(engine string) error {
		n := network{domain: &directoryWrites, document: d, server: server, rates: "0"}
		d.begin("directory writes, " + engine)
		return n.writesOf(ctx, engine, binaries)
	})
}

// writesOf measures the writes of binaries in an engine.
func (n network) writesOf(ctx context.Context, engine string, binaries []product) (err error) {
	var writers []*writer
	defer func() {
		for _, w := range writers {
			w.stop()
		}
	}()
	for _, p := range binaries {
		if n.product = p; err == nil {
			n.db, err = n.newDatabase(ctx, engine)
		}
		var w *writer
		if err == nil {
			w, err = n.writer(ctx)
		}
		if err != nil {
			return err
		}
		writers = append(writers, w)
	}
	master, err := postmaster(ctx, n.db)
	if err != nil {
		return err
	}
	n.heading("signed writes", "connections", "writes a second", "median", "99 of 100 within", "of a processor, server", "database")
	for i, connections := range []int{1, 8} {
		for _, kind := range writeKinds {
			made, err := inTurns(writers, kind, connections, i*writesEach, master)
			if err != nil {
				return err
			}
			n.row(append([]string{kind.name, fmt.Sprint(connections)}, n.told(engine, kind.name, connections, made)...)...)
		}
	}
	return nil
}

// told are the cells of a kind of writes. Of two binaries each figure is of both, with its ratio.
func (d *document) told(engine, name string, connections int, made []written) []string {
	was, is := made[0], made[len(made)-1]
	cell := func(show func(float64) string, of func(written) float64) string {
		if len(made) == 1 {
			return show(of(is))
		}
		return fmt.Sprintf("%s, %s: %.2f", show(of(was)), show(of(is)), of(is)/of(was))
	}
	if connections == 8 {
		d.reached(writeRate, is.rate(), name)
		d.reached(writeLatency, float64(is.late()), name)
	}
	base := none
	if is.base > 0 {
		base = cell(inMS, func(w written) float64 { return float64(w.base / writesEach) })
	}
	return []string{
		cell(whole, written.rate), cell(inMS, func(w written) float64 { return float64(median(w.times)) }),
		cell(inMS, func(w written) float64 { return float64(w.late()) }), cell(inMS, func(w written) float64 { return float64(w.server / writesEach) }), base,
	}
}

// rate is the writes a second.
func (w written) rate() float64 { return writesEach / w.wall.Seconds() }

// late is the time within which 99 of 100 writes were acknowledged.
func (w written) late() time.Duration {
	return slices.Sorted(slices.Values(w.times))[len(w.times)*99/100]
}

// inTurns has each of some writers write a kind, over some connections, from a number on.
func inTurns(writers []*writer, kind write, connections, first, master int) ([]written, error) {
	made := make([]written, len(writers))
	const some = writesEach / writeTurns
	for turn := range writeTurns {
		for k := range writers {
			i := (k + turn) % len(writers)
			w, of := writers[i], &made[i]
			server, base, start := w.cpu(), family(master), time.Now()
			times, err := w.several(kind, connections, first+turn*some, some)
			if err != nil {
				return nil, err
			}
			of.wall += time.Since(start)
			of.server += w.cpu() - server
			of.base += family(master) - base
			of.times = append(of.times, times...)
		}
	}
	return made, nil
}

// several makes writes of a kind with numbers from first on, over connections that each take the next, and returns their times.
func (w *writer) several(kind write, connections, first, count int) ([]time.Duration, error) {
	times, next := make([]time.Duration, count), make(chan int, count)
	for i := range count {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	errs := make([]error, connections)
	for c := range connections {
		all.Go(func() {
			for i := range next {
				start := time.Now()
				if errs[c] = w.send(kind.method, kind.path(first+i), kind.body(first+i)); errs[c] != nil {
					return
				}
				times[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	return times, errors.Join(errs...)
}

// send makes a signed call that writes.
func (w *writer) send(method, path string, body map[string]string) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, w.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	w.Sign(req, text)
	res, err := w.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if answer, err := io.ReadAll(res.Body); err != nil || res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s %.200s: %w", method, path, res.Status, answer, err)
	}
	return nil
}

// writer starts the binary on the network's database, with a directory key and a network of schools.
func (n *network) writer(ctx context.Context) (*writer, error) {
	out, _, err := n.command(ctx, "key", "issue", n.name)
	if err != nil {
		return nil, err
	}
	var key struct{ AccessKeyID, Secret string }
	if err := json.Unmarshal(out, &key); err != nil {
		return nil, err
	}
	s, err := n.start(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{serving: s, Signer: auth.Signer{ID: key.AccessKeyID, Secret: key.Secret}}
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: 100}
	err = w.send(http.MethodPost, "/entities", map[string]string{
		"name": "Network", "entity_type": "network", "degree": "F", "reference_id": "network", "parent_reference_id": "bench",
	})
	if err != nil {
		w.stop()
	}
	return w, err
}
