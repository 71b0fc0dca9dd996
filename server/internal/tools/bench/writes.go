package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// directoryWrites is the domain of a partner that writes to the directory.
var directoryWrites = domain{
	name: "directory", tenant: "partner", prefix: "/api/v2/partners", flags: map[string][]string{"key": {"--partner", "bench"}},
}

// writesEach is how many writes of a kind are measured, in several rounds and over several connections.
const writesEach, writeRounds, connections = 2000, 8, 8

// writer is a server of a database that has only a partner, and the partner's key.
type writer struct {
	*serving
	auth.Signer
	client http.Client
}

// durable starts a PostgreSQL with fsync on the disk and returns its URL, since users wait for the disk too. It starts
// none if PostgreSQL is not measured.
func durable(ctx context.Context) (url string, stop func()) {
	if os.Getenv(serverVariable) == "" {
		return "", func() {}
	}
	cmd := exec.CommandContext(ctx, root+"/.ci/with-postgres", "sh", "-c", `echo "$`+serverVariable+`"; exec cat`)
	cmd.Env, cmd.Stderr = append(os.Environ(), serverVariable+"=", "DURABLE=1"), os.Stderr
	in, out := must(cmd.StdinPipe()), must(cmd.StdoutPipe())
	check(cmd.Start())
	stop = func() {
		in.Close()
		_ = cmd.Wait()
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		check(fmt.Errorf("PostgreSQL for writes: %w", err))
	}
	return strings.TrimSpace(url), stop
}

// writes measures signed writes of the binaries in both engines.
func (d *document) writes(ctx context.Context, binaries []product) {
	server, stop := durable(ctx)
	defer stop()
	for _, engine := range engines() {
		d.begin("directory writes, " + engine)
		var writers []*writer
		for _, p := range binaries {
			n := &network{product: p, domain: &directoryWrites, document: d, server: server}
			n.newDatabase(ctx, engine)
			w := n.writer(ctx)
			defer w.stop()
			writers = append(writers, w)
		}
		d.written(writers)
	}
}

// written measures entities that are created and then changed.
func (d *document) written(writers []*writer) {
	d.heading(fmt.Sprintf("signed writes over %d connections", connections), "writes a second", "median, ms", "99 of 100 within, ms")
	for _, kind := range []struct{ method, name string }{{http.MethodPost, "an entity created"}, {http.MethodPut, "an entity changed"}} {
		const some = writesEach / writeRounds
		var rate, took samples
		for round := range writeRounds {
			for k := range writers {
				i := (k + round) % len(writers)
				start := time.Now()
				times := must(writers[i].several(kind.method, round*some, some))
				rate.add(i, some/time.Since(start).Seconds())
				for _, t := range times {
					took.add(i, t)
				}
			}
		}
		rate = rate.by(median)
		late := took.by(func(list []float64) float64 { return percentile(list, 99) })
		d.row(kind.name, rate.cell(number), took.by(median).cell(milliseconds), late.cell(milliseconds))
		d.reached(writeRate, rate.now(), kind.name)
		d.reached(writeLatency, late.now(), kind.name)
	}
}

// several sends writes, numbered from first, over connections that each take the next one. It returns their times.
func (w *writer) several(method string, first, count int) ([]float64, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	times := make([]float64, count)
	errs := make([]error, connections)
	for c := range connections {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				start := time.Now()
				if errs[c] = w.school(method, first+i, method); errs[c] != nil {
					return
				}
				times[i] = float64(time.Since(start))
			}
		})
	}
	all.Wait()
	return times, errors.Join(errs...)
}

// school creates the n-th school, or changes it.
func (w *writer) school(method string, n int, name string) error {
	path, ref := "/entities", fmt.Sprint("school-", n)
	if method == http.MethodPut {
		path += "/" + ref
	}
	_, err := w.send(method, path, map[string]string{
		"name": name, "entity_type": "school", "degree": "F", "inep": fmt.Sprint(10_000_000 + n), "state": "PA", "city": "Belém",
		"reference_id": ref, "parent_reference_id": "network",
	})
	return err
}

// send sends a signed request and returns the answer.
func (w *writer) send(method, path string, body map[string]string) (answer []byte, err error) {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, w.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	w.Sign(req, text)
	res, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if answer, err = io.ReadAll(res.Body); err != nil || res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s %.200s: %w", method, path, res.Status, answer, err)
	}
	return answer, err
}

// writer starts a server with a directory key and a school network.
func (n *network) writer(ctx context.Context) *writer {
	var key struct{ AccessKeyID, Secret string }
	n.issue(ctx, &key)
	w := &writer{serving: n.start(ctx), Signer: auth.Signer{ID: key.AccessKeyID, Secret: key.Secret}}
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: 100}
	_ = must(w.send(http.MethodPost, "/entities", map[string]string{
		"name": "Network", "entity_type": "network", "degree": "F", "reference_id": "network", "parent_reference_id": "bench",
	}))
	return w
}
