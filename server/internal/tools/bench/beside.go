package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// turns are a network in a former binary and in the present one, which are measured in turns: what else the machine does meets
// both alike. Each has its own feed, as its own generator writes it.
type turns [2]network

// rounds is how often both binaries load from the beginning, and start for each question.
const rounds = 3

// beside measures the network in the present binary beside a former one.
func (n network) beside(ctx context.Context, former product) error {
	n.rates = "0" // the former has no number that nobody reaches
	both := turns{n, n}
	both[0].product = former
	for i := range both {
		if err := both[i].generate(ctx); err != nil {
			return err
		}
	}
	return engines(func(engine string) error {
		n.begin(fmt.Sprintf("%s, %s, %d %s, %d days: former and now", n.name, engine, n.users, n.domain.users, n.days))
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
			n.heading(s.title+"; behind a semicolon of a processor", "after a restart", "not asked for before", "again", "304")
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
				if i == 1 {
					n.reached(loadMemory, float64(used.memory>>20), "load")
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	for next, what := range []string{"load", n.again} {
		n.row(what, wall[next].compare(seconds), cpu[next].compare(seconds))
		n.reached(loadRows, 1/wall[next].ratio(), what)
	}
	return t.sizes(ctx)
}

// sizes tells what the databases take.
func (t *turns) sizes(ctx context.Context) error {
	var sizes [len(t)]int64
	for i := range t {
		var err error
		if sizes[i], err = databaseSize(ctx, t[i].db); err != nil {
			return err
		}
	}
	ratio := float64(sizes[1]) / float64(sizes[0])
	t[1].row("size", fmt.Sprintf("%d MiB, %d MiB: %.2f", sizes[0]>>20, sizes[1]>>20, ratio), none)
	if t[1].name == "schools" {
		t[1].reached(segmentSize, ratio, "size")
	}
	return nil
}

// ask asks both a question: as the first request of a process and then what was not asked for before, in each of some rounds, and at
// last the same again, and with its tag.
func (t *turns) ask(ctx context.Context, q question, others func(*asked) []int) ([]string, error) {
	var first, other, again, had figures
	var both [2]asked
	defer func() {
		for _, a := range both {
			if a.server != nil {
				a.server.stop()
			}
		}
	}()
	for round := range rounds {
		if err := t.restart(ctx, &both, q, round, &first); err != nil {
			return nil, err
		}
		err := other.of(&both, others(&both[1]), func(i, path int) error {
			took, _, err := both[i].server.body(q.path(path))
			other.add(i, took)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	same := slices.Repeat([]int{0}, 3*repeats)
	var tags [2]string
	err := again.of(&both, same, func(i, path int) error {
		took, _, tag, err := both[i].server.call(q.path(path), "")
		tags[i] = tag
		again.add(i, took)
		return err
	})
	if err == nil {
		err = had.of(&both, same, func(i, path int) error {
			took, _, _, err := both[i].server.call(q.path(path), tags[i])
			had.add(i, took)
			return err
		})
	}
	t[1].reached(firstPage, first.ratio(), q.name)
	t[1].reached(pageAgain, again.ratio(), q.name)
	t[1].reached(notModified, had.ratio(), q.name)
	if len(other.wall[0]) > 0 && strings.HasPrefix(q.path(0), "/summary") {
		t[1].reached(otherSummary, other.ratio(), q.name)
	} else if len(other.wall[0]) > 0 {
		t[1].reached(anotherPage, other.ratio(), q.name)
	}
	return []string{first.compare(ms), other.compare(ms), again.compare(ms), had.compare(ms)}, err
}

// restart starts both anew and asks each the question's first path.
func (t *turns) restart(ctx context.Context, both *[2]asked, q question, round int, first *figures) error {
	return t.each(round, func(i int, n *network) (err error) {
		if both[i].server != nil {
			both[i].server.stop()
		}
		both[i] = asked{question: q, network: n}
		if both[i].server, err = n.start(ctx); err != nil {
			return err
		}
		if both[i].restart, both[i].body, err = both[i].server.body(q.path(0)); err != nil {
			return err
		}
		first.add(i, both[i].restart)
		return both[i].count()
	})
}

// figures are the times of the former and of the present binary. Where the calls were made by of, cpu is what their servers took of
// a processor for them: what else the machine does shows less in it.
type figures struct {
	wall [2][]time.Duration
	cpu  [2]time.Duration
}

func (f *figures) add(i int, d time.Duration) { f.wall[i] = append(f.wall[i], d) }

// of has ask ask both for paths in turns, the other one first each time.
func (f *figures) of(both *[2]asked, paths []int, ask func(i, path int) error) error {
	for i := range both {
		f.cpu[i] -= both[i].server.cpu()
	}
	for n, path := range paths {
		for k := range both {
			if err := ask((k+n)%len(both), path); err != nil {
				return err
			}
		}
	}
	for i := range both {
		f.cpu[i] += both[i].server.cpu()
	}
	return nil
}

// compare shows both medians and their ratio, and the ratio of what was taken of a processor.
func (f *figures) compare(show func(time.Duration) string) string {
	if len(f.wall[0]) == 0 {
		return none
	}
	was, is := median(f.wall[0]), median(f.wall[1])
	text := fmt.Sprintf("%s, %s: %.2f", show(was), show(is), f.ratio())
	if f.cpu[0] > 0 {
		text += fmt.Sprintf("; %.2f", f.used())
	}
	return text
}

// ratio is how many times as long the present one takes.
func (f *figures) ratio() float64 { return float64(median(f.wall[1])) / float64(median(f.wall[0])) }

// used is how many times as much the present one took of a processor.
func (f *figures) used() float64 { return float64(f.cpu[1]) / float64(f.cpu[0]) }

func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
