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

// directoryWrites is the directory of a partner whose programs write.
var directoryWrites = domain{
	name: "directory", tenant: "partner", prefix: "/api/v2/partners", flags: map[string][]string{"key": {"--partner", "bench"}},
}

// writesEach is how many writes of a kind are measured, in writeTurns turns, over some connections.
const writesEach, writeTurns, connections = 2000, 8, 8

// writer is a server of a database that has only a partner, and the partner's key.
type writer struct {
	*serving
	auth.Signer
	client http.Client
}

// written are the times of the writes of one binary.
type written struct {
	times []float64
	wall  time.Duration
}

// rate is the writes a second, late the time within which 99 of 100 were acknowledged.
func (w written) rate() float64 { return float64(len(w.times)) / w.wall.Seconds() }
func (w written) late() float64 {
	return slices.Sorted(slices.Values(w.times))[len(w.times)*99/100]
}

// writes measures signed writes of the binaries in both engines.
func (d *document) writes(ctx context.Context, binaries []product) error {
	server, stop, err := durable(ctx)
	if err != nil {
		return err
	}
	defer stop()
	key := make([]byte, 32)
	rand.Read(key)
	os.Setenv("LECTERN_SECRET_KEY", base64.StdEncoding.EncodeToString(key))
	return engines(func(engine string) error {
		d.begin("directory writes, " + engine)
		var writers []*writer
		defer func() {
			for _, w := range writers {
				w.stop()
			}
		}()
		for _, p := range binaries {
			n := &network{product: p, domain: &directoryWrites, document: d, server: server, rate: "0"}
			if err := n.newDatabase(ctx, engine); err != nil {
				return err
			}
			w, err := n.writer(ctx)
			if err != nil {
				return err
			}
			writers = append(writers, w)
		}
		return d.written(writers)
	})
}

// written measures entities that are created and then changed.
func (d *document) written(writers []*writer) error {
	d.heading(fmt.Sprintf("signed writes over %d connections", connections), "writes a second", "median", "99 of 100 within")
	for _, kind := range []string{http.MethodPost, http.MethodPut} {
		made := make([]written, len(writers))
		const some = writesEach / writeTurns
		for turn := range writeTurns {
			for k := range writers {
				i := (k + turn) % len(writers)
				start := time.Now()
				times, err := writers[i].several(kind, turn*some, some)
				if err != nil {
					return err
				}
				made[i].wall += time.Since(start)
				made[i].times = append(made[i].times, times...)
			}
		}
		d.told(map[string]string{http.MethodPost: "an entity created", http.MethodPut: "an entity changed"}[kind], made)
	}
	return nil
}

// told writes the line of a kind of writes.
func (d *document) told(name string, made []written) {
	var rate, took, late samples
	for i, w := range made {
		rate.add(i, w.rate())
		took.add(i, median(w.times))
		late.add(i, w.late())
	}
	d.row(name, rate.cell(whole), took.cell(ms), late.cell(ms))
	d.reached(writeRate, rate.now(), name)
	d.reached(writeLatency, late.now(), name)
}

// several sends writes with numbers from first on, over connections that each take the next, and returns their times.
func (w *writer) several(method string, first, count int) ([]float64, error) {
	times, next := make([]float64, count), make(chan int, count)
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
				if errs[c] = w.school(method, first+i); errs[c] != nil {
					return
				}
				times[i] = float64(time.Since(start))
			}
		})
	}
	all.Wait()
	return times, errors.Join(errs...)
}

// school creates or changes the n-th school.
func (w *writer) school(method string, n int) error {
	path, ref := "/entities", fmt.Sprint("school-", n)
	if method == http.MethodPut {
		path += "/" + ref
	}
	return w.send(method, path, map[string]string{
		"name": fmt.Sprint("School ", n, " ", method), "entity_type": "school", "degree": "F", "inep": fmt.Sprint(10_000_000 + n), "state": "PA", "city": "Belém",
		"reference_id": ref, "parent_reference_id": "network",
	})
}

// send sends a signed write.
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

// writer starts a server with a directory key and a school network.
func (n *network) writer(ctx context.Context) (*writer, error) {
	var key struct{ AccessKeyID, Secret string }
	out, _, err := n.command(ctx, "key", "issue", n.name)
	if err == nil {
		err = json.Unmarshal(out, &key)
	}
	if err != nil {
		return nil, err
	}
	s, err := n.start(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{serving: s, Signer: auth.Signer{ID: key.AccessKeyID, Secret: key.Secret}}
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: 100}
	return w, w.send(http.MethodPost, "/entities", map[string]string{
		"name": "Network", "entity_type": "network", "degree": "F", "reference_id": "network", "parent_reference_id": "bench",
	})
}
