package directorydb

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun/dialect"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// groups let the writes of a process that would wait for one another be committed together: those of a partner, which follow one
// another anyway, and on SQLite those of all partners, since the file has one writer. Whoever comes first commits for all
// who wait by then, and the next of those who came meanwhile goes on.
type groups struct {
	mu    sync.Mutex
	of    map[directory.PartnerID]*group
	slots chan struct{}
}

// maxWriters bounds the writes that hold a connection at one time, a fraction of the smallest pool of connections: while a load
// holds a partner's lock its writes wait, and must not take the connections that readers, and other partners, need.
const maxWriters = 4

// maxGroup bounds the writes of one transaction, and with them how long each waits for the others.
const maxGroup = 64

// group is those who wait to write.
type group struct {
	turn    chan struct{} // full while one commits
	waiting []*job
	users   int
}

// job is a write under way.
type job struct {
	ask
	ctx   context.Context
	write func(ctx context.Context, w *Write, saw sight) error
	alone bool // it failed among others, or they did with it

	ended    chan struct{}
	versions authdb.Versions // those of then
	err      error
	panicked any
}

// outcome returns what came of a job that has ended, where it panicked by a panic.
func (j *job) outcome() error {
	if j.panicked != nil {
		panic(j.panicked)
	}
	return j.err
}

// errAlone says that a transaction of several writes was undone: each is to try by itself.
var errAlone = errors.New("another write of the transaction failed")

// join adds a job to those who wait.
func (s *groups) join(key directory.PartnerID, j *job) *group {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of, s.slots = make(map[directory.PartnerID]*group), make(chan struct{}, maxWriters)
	}
	g := s.of[key]
	if g == nil {
		g = &group{turn: make(chan struct{}, 1)}
		s.of[key] = g
	}
	g.users++
	g.waiting = append(g.waiting, j)
	return g
}

// leave ends what join began.
func (s *groups) leave(key directory.PartnerID, g *group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.users--; g.users == 0 {
		delete(s.of, key)
	}
}

// take returns the jobs that are to be committed next.
func (s *groups) take(g *group) []*job {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < min(len(g.waiting), maxGroup) && (n == 0 || !g.waiting[n].alone && !g.waiting[0].alone) {
		n++
	}
	jobs := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	return jobs
}

// drop takes back a job that waits still.
func (s *groups) drop(g *group, j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(g.waiting, j)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	return i >= 0
}

// groupOf is the key of the group that a partner's writes are in.
func (s *Store) groupOf(p directory.PartnerID) directory.PartnerID {
	if s.DB.Dialect().Name() == dialect.SQLite {
		return 0
	}
	return p
}

// do has a job done, by itself or by another, and returns when its commit did.
func (s *Store) do(j *job) error {
	key := s.groupOf(j.partner)
	for {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		j.ended, j.err = make(chan struct{}), nil
		g := s.groups.join(key, j)
		err := s.wait(g, j)
		s.groups.leave(key, g)
		if !errors.Is(err, errAlone) {
			return err
		}
		j.alone = true
	}
}

func (s *Store) wait(g *group, j *job) error {
	for {
		select {
		case <-j.ended:
			return j.outcome()
		case g.turn <- struct{}{}:
			s.lead(g)
		case <-j.ctx.Done():
			if s.groups.drop(g, j) {
				return j.ctx.Err()
			}
			<-j.ended // it is being written: whether it will be is to be told
			return j.outcome()
		}
	}
}

// lead commits for those who wait.
func (s *Store) lead(g *group) {
	jobs := s.groups.take(g)
	err := errAlone // should one panic among others
	defer func() {
		if p := recover(); p != nil && len(jobs) == 1 {
			jobs[0].panicked = p
		}
		for _, j := range jobs {
			j.err = cmp.Or(err, j.err)
			close(j.ended)
		}
		<-g.turn
	}()
	ctx, cancel := together(jobs)
	defer cancel()
	select {
	case s.groups.slots <- struct{}{}:
		defer func() { <-s.groups.slots }()
		err = s.run(ctx, jobs)
	case <-ctx.Done():
		err = ctx.Err()
	}
}

// together returns a context that is done when those of all jobs are.
func together(jobs []*job) (context.Context, context.CancelFunc) {
	if len(jobs) == 0 {
		return context.WithCancel(context.Background())
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(jobs[0].ctx))
	var left atomic.Int64
	left.Store(int64(len(jobs)))
	var stops []func() bool
	for _, j := range jobs {
		stops = append(stops, context.AfterFunc(j.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
