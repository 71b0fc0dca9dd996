package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// turns are a network in a former binary and in the present one, which are measured in turns: what else the machine does meets
// both alike. Each has its own feed, as its own generator writes it.
type turns [2]network

// rounds is how often both binaries load from the beginning, and start for each question.
const rounds = 3

// beside measures the network in the present binary beside a former one.
func (n network) beside(ctx context.Context, former product) error {
	both := turns{n, n}
	both[0].product = former
	for i := range both {
		if err := both[i].generate(ctx); err != nil {
			return err
		}
	}
	return engines(func(engine string) error {
		n.line(fmt.Sprintf("\n## %s, %s, %d %s, %d days: former and now\n", n.name, engine, n.users, n.domain.users, n.days))
		if err := both.loads(ctx, engine); err != nil {
			return err
		}
		for i := range both {
			if err := both[i].issue(ctx); err != nil {
				return err
			}
		}
		sections, err := n.asked(ctx, &both[1])
		if err != nil {
			return err
		}
		for _, s := range sections {
			n.heading(s.title, "after a restart", "not asked for before", "again", "304")
			for _, q := range s.questions {
				cells, err := both.ask(ctx, q, s.others)
				if err != nil {
					return err
				}
				n.row(append([]string{q.name}, cells...)...)
			}
		}
		return nil
	})
}

// each calls f with both networks, the other one first each time.
func (t *turns) each(round int, f func(i int, n *network) error) error {
	for k := range t {
		i := (k + round) % len(t)
		if err := f(i, &t[i]); err != nil {
			return err
		}
	}
	return nil
}

// loads times loads of the feed, and of the same feed again.
func (t *turns) loads(ctx context.Context, engine string) error {
	n := &t[1]
	n.heading("load", "time", "of a processor, but for the database's own")
	var wall, cpu [2]figures // of the first load, and of the next
	for round := range rounds {
		for next := range 2 {
			err := t.each(round, func(i int, n *network) (err error) {
				if next == 0 {
					if n.db, err = n.newDatabase(ctx, engine); err != nil {
						return err
					}
				}
				_, used, err := n.command(ctx, "load", n.name, n.feed())
				wall[next].add(i, used.wall)
				cpu[next].add(i, used.cpu)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	for next, what := range []string{"load", n.again} {
		n.row(what, wall[next].compare(seconds), cpu[next].compare(seconds))
	}
	return nil
}

// ask asks both a question: as the first request of a process, then what was not asked for before, then the same again, and with
// its tag.
func (t *turns) ask(ctx context.Context, q question, others func(*asked) []int) ([]string, error) {
	var first, other, again, had figures
	var both [2]asked
	for round := range rounds {
		err := t.each(round, func(i int, n *network) (err error) {
			if both[i].server != nil {
				both[i].server.stop()
			}
			both[i] = asked{question: q, network: n}
			if both[i].server, err = n.start(ctx); err != nil {
				return err
			}
			both[i].restart, both[i].body, err = both[i].server.body(q.path(0))
			first.add(i, both[i].restart)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range both {
		defer both[i].server.stop()
		if err := both[i].count(); err != nil {
			return nil, err
		}
	}
	take := func(f *figures, path string, round int) error {
		return t.each(round, func(i int, _ *network) error {
			took, _, err := both[i].server.body(path)
			f.add(i, took)
			return err
		})
	}
	for round, path := range others(&both[1]) {
		if err := take(&other, q.path(path), round); err != nil {
			return nil, err
		}
	}
	for round := range 3 * repeats {
		if err := take(&again, q.path(0), round); err != nil {
			return nil, err
		}
		err := t.each(round, func(i int, _ *network) error {
			took, err := both[i].server.had(q.path(0))
			had.add(i, took)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return []string{first.compare(ms), other.compare(ms), again.compare(ms), had.compare(ms)}, nil
}

// figures are the times of the former and of the present binary.
type figures [2][]time.Duration

func (f *figures) add(i int, d time.Duration) { f[i] = append(f[i], d) }

// compare shows both medians and their ratio.
func (f *figures) compare(show func(time.Duration) string) string {
	if len(f[0]) == 0 {
		return none
	}
	was, is := median(f[0]), median(f[1])
	return fmt.Sprintf("%s, %s: %.2f", show(was), show(is), float64(is)/float64(was))
}

func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
