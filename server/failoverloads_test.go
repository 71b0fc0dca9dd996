//go:build unix

package server_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// failover is two servers on the database of a pair, and what they were asked: a partner and a library network.
type failover struct {
	*testing.T
	*client
	network *network
	pair    *servers
	servers map[string]http.Handler
	targets []string
}

func newFailover(t *testing.T) *failover {
	t.Helper()
	pair := newServers(t)
	db, err := database.Open(t.Context(), pair.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	config := server.Config{SecretKey: secretKey, SchoolsRate: -1, LibrariesRate: -1}
	r := &failover{T: t, client: newClient(t, db, config), network: newNetwork(t, db, config), pair: pair}
	r.servers = map[string]http.Handler{"the first server": r.handler, "the second server": documented(t, r.network.server.Handler())}
	r.at(time.Date(2026, 9, 25, 17, 0, 30, 0, time.UTC))
	for _, list := range []string{"/users", "/engagements?startDate=2026-03-01", "/readings?startDate=2026-03-01"} {
		r.targets = append(r.targets, prefix+list)
	}
	r.targets = append(r.targets, libraryTargets()...)
	return r
}

// at sets the clocks of all.
func (r *failover) at(now time.Time) { r.clock.now, r.network.clock.now = now, now }

// change writes to the directory and loads something into both tenants, and asks after each, so that all of it is in memory.
func (r *failover) change(name string, i int) told {
	r.Helper()
	if a := r.call(r.T, "POST", "/teachers", teacher(name, "north")); a.status != 201 {
		r.Fatalf("a teacher = %d %s, want 201", a.status, a.body)
	}
	r.ask()
	r.renamed(r.T, name)
	r.network.load(r.more(name, i))
	return r.ask()
}

// more is a feed of the library in which a name stands.
func (r *failover) more(name string, i int) map[string]string {
	feed := moreOfTheLibrary(i)
	feed["readers"] = strings.Replace(feed["readers"], `"name":"Ana`, `"name":"`+name, 1)
	return feed
}

// told are answers, by what was asked.
type told map[string]*httptest.ResponseRecorder

// from asks a server.
func (r *failover) from(h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	key := r.network.key
	if strings.HasPrefix(target, prefix) {
		key = r.north
	}
	return (&fixture{handler: h}).get(key, target, headers...)
}

// ask asks all servers for everything, which must agree.
func (r *failover) ask() told {
	r.Helper()
	all := told{}
	for _, name := range slices.Sorted(maps.Keys(r.servers)) {
		for _, target := range r.targets {
			w := r.from(r.servers[name], target)
			if want := all[target]; want != nil {
				same(r.T, name+": "+target, w, want)
				continue
			}
			if w.Code != 200 {
				r.Errorf("%s: %s = %d %s", name, target, w.Code, w.Body)
			}
			all[target] = w
		}
	}
	return all
}

// again asks all servers for a state by its snapshots, which they answer as then, or not at all where it was lost.
func (r *failover) again(when string, then told, lost bool) {
	r.Helper()
	for name, h := range r.servers {
		for target, want := range then {
			w := r.from(h, with(target, "snapshot="+snapshotOf(r.T, want)))
			if !lost {
				same(r.T, when+", "+name+": "+target, w, want)
			} else if w.Code != http.StatusGone || w.Body.String() != goneSnapshot {
				r.Errorf("%s, %s answers %s of a state that was lost: %d %s", when, name, target, w.Code, w.Body)
			}
		}
	}
}

// forgotten holds that no answer, and no 304, comes from what was lost: what is answered is what a server says that was never told.
func (r *failover) forgotten(when string, now, lost told) {
	r.Helper()
	for target, was := range lost {
		tag, snapshot := was.Header().Get("ETag"), snapshotOf(r.T, was)
		if snapshotOf(r.T, now[target]) == snapshot {
			r.Errorf("%s %s is named as a state that was lost", when, target)
		}
		want := http.StatusOK
		if now[target].Header().Get("ETag") == tag { // it shows nothing of what was lost
			want = http.StatusNotModified
		}
		for name, h := range r.servers {
			if w := r.from(h, target, "If-None-Match", tag); w.Code != want {
				r.Errorf("%s, %s answers %s with the tag of an answer that was lost: %d, want %d", when, name, target, w.Code, want)
			}
		}
	}
}

// fail lets the standby take over, and waits until the servers have found it.
func (r *failover) fail() {
	r.Helper()
	r.pair.freeze()
	r.pair.promote()
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Minute)
	defer cancel()
	for _, h := range r.servers {
		for r.from(h, prefix+"/users").Code == http.StatusServiceUnavailable && ctx.Err() == nil {
		}
	}
	// One that was started now has nothing in memory but what the standby has.
	fresh, err := server.New(r.Context(), server.Config{DB: r.db, SecretKey: secretKey, SchoolsRate: -1, LibrariesRate: -1, Now: r.clock.time})
	if err != nil {
		r.Fatal(err)
	}
	r.servers["a fresh server"] = documented(r.T, fresh.Handler())
}

// TestLostLoads: a standby that is promoted has lost the last loads of schools and libraries, and what the directory wrote
// beside them. The servers run on and answer as one that was never told of it: no row, no total, no tag. Snapshots of what was
// lost are 410; those of states that were replicated, the one that came to hold by its hour among them, answer the same bytes
// as ever. As many loads and writes follow as were lost, and more, and none of them is taken for one of those.
func TestLostLoads(t *testing.T) {
	r := newFailover(t)
	kept := []told{r.ask(), r.change("Um", 1)}
	r.hourly(r.more("Dois", 2))
	hour := r.clock.now.Truncate(time.Hour).Add(time.Hour)
	const first, second = prefix + "/users?pageSize=1", prefix + "/users?pageSize=1&page=2"
	r.from(r.handler, first)
	pulled := r.from(r.handler, second)

	r.pair.part()
	r.at(hour) // what the hour brings is known to the standby; that it has come is not
	kept = append(kept, r.ask())
	var lost []told
	for i, name := range []string{"Perdido um", "Perdido dois", "Perdido tres"} {
		lost = append(lost, r.change(name, 3+i))
		r.again("before the failover", kept[1], false) // made in memory from a state that will be lost
	}
	const lostFirst, lostSecond = first + "&profile=student", second + "&profile=student"
	r.from(r.handler, lostFirst)
	r.hourly(r.more("Perdido quatro", 6)) // it waits for its hour, and for ever

	r.fail()
	check := func(when string, now told) {
		t.Helper()
		for target, w := range now {
			if strings.Contains(w.Body.String(), "Perdido") {
				t.Errorf("%s %s shows what was lost: %s", when, target, w.Body)
			}
		}
		for _, was := range kept {
			r.again(when, was, false)
		}
		for _, was := range lost {
			r.again(when, was, true)
			r.forgotten(when, now, was)
		}
		for name, h := range r.servers {
			same(t, when+", "+name+": page 2 of a pull", r.from(h, second), pulled)
		}
	}
	now := r.ask()
	for target, want := range kept[len(kept)-1] {
		same(t, "after the failover "+target, now[target], want)
	}
	check("after the failover", now)
	for name, h := range r.servers {
		// The first 26 characters name registers, facts and day; the rest depends on the query.
		if got, want := snapshotOf(t, r.from(h, lostSecond))[:26], snapshotOf(t, now[r.targets[0]])[:26]; got != want {
			t.Errorf("%s: page 2 of a pull that was lost is of %s, want the state of now, %s", name, got, want)
		}
	}
	for i, name := range []string{"Novo um", "Novo dois", "Novo tres", "Novo quatro"} {
		now = r.change(name, 2+i)
		for _, was := range lost {
			r.forgotten(name, now, was)
		}
	}
	r.at(hour.Add(time.Hour))
	check("an hour later", r.ask())
}

// hourly loads something into the library network that holds from the next full hour on.
func (r *failover) hourly(feed map[string]string) {
	r.Helper()
	now := r.network.clock.time
	store := &librariesdb.Store{DB: r.network.db.DB, Copy: r.network.db.Copy, Now: now}
	if _, err := load.Libraries(r.Context(), store, r.network.north, os.DirFS(r.network.folder(feed)), load.Options{Now: now}); err != nil {
		r.Fatal(err)
	}
}
