// Package extsort sorts more records by key than fit into memory: an external sort. A [Sorter] partitions records as they are
// added, and spills them to temporary files, one for each partition, if they exceed its memory. Then it sorts partition by partition.
//
// A load sorts the events of its feed by user:
//
//	s := &extsort.Sorter{Limit: 64 << 20}
//	defer s.Close()
//	err := s.Add(17, event) // many times, in any order of the users
//	err = s.Done()
//	err = s.Each(0, func(run *extsort.Run) error {
//		for user, event := range run.All() { … } // users ascend
//	})
//
// A partition that does not fit into memory is partitioned again, and has several runs. Each run has all records of its keys. A
// program that is killed leaves no files behind.
//
// The records have no version and no checksum, because no other process reads them.
package extsort

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync"

	"github.com/lectern-dev/lectern/reading/packed"
)

// Partitions is the number of partitions of a Sorter: 20 million events make partitions of 80,000.
const Partitions = 256

// A Sorter groups records by key in bounded memory. The zero Sorter is empty and ready. It is not safe for concurrent use, except
// Each after Done.
type Sorter struct {
	// Dir is the folder of temporary files; empty is that of the system.
	Dir string
	// Limit is the number of bytes in memory, by default 32 MiB.
	Limit int
	// Hash spreads the keys; nil takes the keys themselves. The lowest byte is the partition, the next ones are used if it is
	// partitioned again. Records whose keys have the same hash are always in one run.
	Hash func(key int64) uint64

	partitions [Partitions]partition
	runSize    int64 // the most bytes of a run of several hashes, by default two batches
	held       int
	dir        string
	err        error
}

// partition has the records of the keys of some hashes.
type partition struct {
	mem   Records
	file  *os.File
	size  int64 // of the file
	count int
	hash  uint64 // of the first record
	mixed bool   // others have other hashes
}

// Add adds a record. After an error every Add fails.
func (s *Sorter) Add(key int64, record []byte) error {
	if s.err != nil {
		return s.err
	}
	hash := s.hash(key)
	p := &s.partitions[hash%Partitions]
	if p.count == 0 {
		p.hash = hash
	}
	p.mixed = p.mixed || p.hash != hash
	p.count++
	if n, share := len(p.mem)+len(record)+maxHeader, s.limit()/Partitions; n > cap(p.mem) && n < share {
		p.mem = append(make(Records, 0, min(2*n, share)), p.mem...) // append would copy it more often and allocate more
	}
	before := len(p.mem)
	p.mem.Add(key, record)
	if s.held += len(p.mem) - before; s.held > s.limit() {
		s.err = s.spill()
	}
	return s.err
}

func (s *Sorter) hash(key int64) uint64 {
	if s.Hash == nil {
		return uint64(key)
	}
	return s.Hash(key)
}

// AddAll adds a list of records.
func (s *Sorter) AddAll(list Records) error {
	for len(list) > 0 {
		key, record, rest, ok := list.next()
		if !ok {
			return corrupt(nil)
		}
		if err := s.Add(key, record); err != nil {
			return err
		}
		list = rest
	}
	return nil
}

func (s *Sorter) limit() int {
	if s.Limit > 0 {
		return s.Limit
	}
	return 32 << 20
}

// Batch is the number of bytes that a load with such a sorter writes together. It is a quarter of the limit, since the load collects
// as many bytes while it writes.
func (s *Sorter) Batch() int { return s.limit() / 4 }

// spill moves the records in memory to the files.
func (s *Sorter) spill() error {
	if s.dir == "" {
		dir, err := os.MkdirTemp(s.Dir, "lectern-load-")
		if err != nil {
			return fmt.Errorf("room for temporary files: %w", err)
		}
		s.dir = dir
	}
	for i := range s.partitions {
		if err := s.partitions[i].spill(s.dir, i, 2*s.limit()/Partitions); err != nil {
			return fmt.Errorf("room for temporary files: %w", err)
		}
	}
	s.held = 0
	return nil
}

// spill writes the records in memory. It frees memory above the partition's share: in a feed that is ordered by account, one partition
// after the other is large.
func (p *partition) spill(dir string, i, share int) error {
	if len(p.mem) == 0 {
		return nil
	}
	if p.file == nil {
		f, err := os.Create(fmt.Sprintf("%s/%03d", dir, i))
		if err != nil {
			return err
		}
		p.file = f
		_ = os.Remove(f.Name()) // so that a killed load leaves nothing; if it fails, Close does it
	}
	n, err := p.file.Write(p.mem)
	p.size += int64(n)
	if p.mem = p.mem[:0]; cap(p.mem) > share {
		p.mem = nil
	}
	return err
}

// Done says that nothing more is added. If some records are in files, it writes the others too and frees their memory.
func (s *Sorter) Done() error {
	if s.dir == "" || s.err != nil {
		return s.err
	}
	s.err = s.spill()
	for i := range s.partitions {
		s.partitions[i].mem = nil
	}
	return s.err
}

// Each calls visit with the runs of a partition: one, or several if the records do not fit into memory. It may be called at the same
// time for different partitions, and again for one.
func (s *Sorter) Each(i int, visit func(*Run) error) error {
	p := &s.partitions[i]
	size := p.size + int64(len(p.mem))
	most := cmp.Or(s.runSize, int64(2*s.Batch()))
	if p.mixed && size > most {
		return s.again(p, most, visit)
	}
	data := p.mem
	if p.file != nil {
		data = make(Records, p.size, size)
		if n, err := p.file.ReadAt(data, 0); n < len(data) {
			return fmt.Errorf("temporary file: %w", err)
		}
		data = append(data, p.mem...)
	}
	run, err := sorted(data, p.count)
	if err != nil {
		return err
	}
	return visit(run)
}

// again partitions a partition by the next byte of the hash, and visits the runs.
func (s *Sorter) again(p *partition, most int64, visit func(*Run) error) (err error) {
	parts := &Sorter{Dir: s.Dir, Limit: s.Batch() / 2, runSize: most, Hash: func(key int64) uint64 { return s.hash(key) / Partitions }}
	defer func() { err = errors.Join(err, parts.Close()) }()
	if err := p.each(parts.Add); err != nil {
		return err
	}
	for i := range parts.partitions {
		if parts.partitions[i].count == 0 {
			continue
		}
		if err := parts.Each(i, visit); err != nil {
			return err
		}
	}
	return nil
}

// workers is the number of partitions in work at a time, while the caller takes another.
const workers = 2

// Process calls work with each run of a sorter, on several goroutines, after the last Add. It calls take with the results of each
// partition, on the caller's goroutine and in the order of the partitions. It returns the first error of work or take, after all of its
// goroutines have ended.
func Process[T any](ctx context.Context, s *Sorter, work func(context.Context, *Run) (T, error), take func([]T) error) error {
	if err := s.Done(); err != nil {
		return err
	}
	type result struct {
		made []T
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	results := make(chan chan result, workers-1) // beside the one that is taken
	wg.Go(func() {
		defer close(results)
		for i := range Partitions {
			one := make(chan result, 1)
			select {
			case results <- one:
			case <-ctx.Done():
				return
			}
			wg.Go(func() {
				var r result
				r.err = s.Each(i, func(run *Run) error {
					v, err := work(ctx, run)
					r.made = append(r.made, v)
					return err
				})
				one <- r
			})
		}
	})
	for one := range results {
		r := <-one
		if r.err != nil {
			return r.err
		}
		if err := take(r.made); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Rekey adds all records to another sorter under other keys, except those for which key returns false.
func (s *Sorter) Rekey(to *Sorter, key func(int64) (now int64, ok bool)) error {
	for i := range s.partitions {
		err := s.partitions[i].each(func(k int64, record []byte) error {
			now, ok := key(k)
			if !ok {
				return nil
			}
			return to.Add(now, record)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each visits the records of a partition in the order in which they were added, with a few of them in memory at a time.
func (p *partition) each(visit func(key int64, record []byte) error) error {
	all := io.Reader(bytes.NewReader(p.mem))
	if p.file != nil {
		all = io.MultiReader(io.NewSectionReader(p.file, 0, p.size), all)
	}
	r := bufio.NewReaderSize(all, 64<<10)
	var record []byte
	for range p.count {
		size, err := binary.ReadUvarint(r)
		key, err2 := binary.ReadUvarint(r)
		if err := errors.Join(err, err2); err != nil || size > uint64(p.size)+uint64(len(p.mem)) {
			return corrupt(err)
		}
		record = slices.Grow(record[:0], int(size))[:size]
		if _, err := io.ReadFull(r, record); err != nil {
			return corrupt(err)
		}
		if err := visit(int64(key), record); err != nil {
			return err
		}
	}
	return nil
}

func corrupt(err error) error {
	return fmt.Errorf("temporary file: %w", errors.Join(packed.ErrCorrupt, err))
}

// Close removes the temporary files.
func (s *Sorter) Close() (err error) {
	for i := range s.partitions {
		if f := s.partitions[i].file; f != nil {
			err = errors.Join(err, f.Close())
		}
		s.partitions[i] = partition{}
	}
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// Records are records one after the other, each with its length and its key in front.
type Records []byte

// maxHeader is the most bytes before a record.
const maxHeader = 2 * binary.MaxVarintLen64

// Add appends a record.
func (r *Records) Add(key int64, record []byte) {
	b := binary.AppendUvarint(*r, uint64(len(record)))
	b = binary.AppendUvarint(b, uint64(key))
	*r = append(b, record...)
}

// next cuts off the first record; ok is false if there is none.
func (r Records) next() (key int64, record []byte, rest Records, ok bool) {
	size, n := binary.Uvarint(r)
	if n <= 0 {
		return 0, nil, nil, false
	}
	k, m := binary.Uvarint(r[n:])
	if rest = r[n+max(m, 0):]; m <= 0 || size > uint64(len(rest)) {
		return 0, nil, nil, false
	}
	return int64(k), rest[:size:size], rest[size:], true
}

// A Run is records in the order of their keys, those of one key in the order in which they were added.
type Run struct {
	data   Records
	places []place
}

// place is where a record of a key is.
type place struct {
	key int64
	at  int
}

// sorted makes a run of so many records.
func sorted(data Records, count int) (*Run, error) {
	r := &Run{data, make([]place, 0, count)}
	for rest := data; len(rest) > 0; {
		at := len(data) - len(rest)
		key, _, more, ok := rest.next()
		if rest = more; !ok {
			return nil, corrupt(nil)
		}
		r.places = append(r.places, place{key, at})
	}
	slices.SortFunc(r.places, func(a, b place) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return a.at - b.at
	})
	return r, nil
}

// Len returns the number of records.
func (r *Run) Len() int { return len(r.places) }

// All yields the records with their keys, which ascend. They must not be changed.
func (r *Run) All() iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for _, p := range r.places {
			if _, record, _, _ := r.data[p.at:].next(); !yield(p.key, record) {
				return
			}
		}
	}
}

// ByKey yields each key with the run of its records. Keys ascend.
func (r *Run) ByKey() iter.Seq2[int64, *Run] {
	return func(yield func(int64, *Run) bool) {
		for places := r.places; len(places) > 0; {
			key, n := places[0].key, 1
			for n < len(places) && places[n].key == key {
				n++
			}
			if !yield(key, &Run{r.data, places[:n]}) {
				return
			}
			places = places[n:]
		}
	}
}
