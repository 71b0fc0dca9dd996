package extsort

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
)

// record is a record with its key.
type record struct {
	key  int64
	text string
}

// records visits the runs of a sorter, partition by partition, and checks that their keys ascend.
func records(t *testing.T, s *Sorter, visit func(run []record)) {
	t.Helper()
	for i := range Partitions {
		err := s.Each(i, func(r *Run) error {
			var run []record
			for key, data := range r.All() {
				run = append(run, record{key, string(data)})
			}
			if len(run) != r.Len() || !slices.IsSortedFunc(run, func(a, b record) int { return cmp.Compare(a.key, b.key) }) {
				t.Errorf("partition %d: the keys of a run of %d records do not ascend", i, r.Len())
			}
			visit(run)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSorter tests that every record comes back once, with the records of a key in their order, in memory and from
// files. It reads twice, and no file remains.
func TestSorter(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilled often": 64} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := &Sorter{Dir: dir, Limit: limit}
			want := map[int64][]record{}
			for i := range 5000 {
				r := record{int64(i*i%1000) - 9, fmt.Sprintf("record %d", i)}
				want[r.key] = append(want[r.key], r)
				if err := s.Add(r.key, []byte(r.text)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Done(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got := map[int64][]record{}
				records(t, s, func(run []record) {
					for _, r := range run {
						got[r.key] = append(got[r.key], r)
					}
				})
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("records =\n%v, want\n%v", got, want)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("files left after Close = %v, %v, want none", left, err)
			}
		})
	}
}

// TestSorterIsBounded adds many times the limit, key by key, as an export ordered by key would.
func TestSorterIsBounded(t *testing.T) {
	const limit = 1 << 20
	s := &Sorter{Dir: t.TempDir(), Limit: limit}
	defer s.Close()
	for key := range int64(2000) {
		for range 300 {
			if err := s.Add(key/128, make([]byte, 20)); err != nil {
				t.Fatal(err)
			}
		}
		size := 0
		for i := range s.partitions {
			size += cap(s.partitions[i].mem)
		}
		if size > 3*limit {
			t.Fatalf("the sorter holds %d bytes, want about its limit of %d", size, limit)
		}
	}
}

// TestLargePartitions tests that a partition that is too large has several runs. Each run here has only one hash, and
// each hash only one run.
func TestLargePartitions(t *testing.T) {
	const large = 7
	s := &Sorter{Dir: t.TempDir(), Limit: 16 << 10, Hash: func(key int64) uint64 { return uint64(key) / 10 }}
	defer s.Close()
	var keys []int64
	for _, hash := range []int64{large, large + Partitions, large + 5*Partitions*Partitions, large + 6*Partitions*Partitions, 3} {
		for i := range int64(10) {
			keys = append(keys, 10*hash+i)
		}
	}
	want := 0
	for range 100 {
		for _, key := range keys {
			if err := s.Add(key, bytes.Repeat([]byte("x"), int(key%10))); err != nil {
				t.Fatal(err)
			}
			want++
		}
	}
	if err := s.Done(); err != nil {
		t.Fatal(err)
	}
	runs := map[uint64]int{}
	records(t, s, func(run []record) {
		hashes := map[uint64]bool{}
		for _, r := range run {
			hashes[s.Hash(r.key)] = true
			want--
		}
		for hash := range hashes {
			if runs[hash]++; len(hashes) > 1 {
				t.Errorf("a run of %d records has %d hashes, want 1", len(run), len(hashes))
			}
		}
	})
	if want != 0 || fmt.Sprint(runs) != "map[3:1 7:1 263:1 327687:1 393223:1]" {
		t.Errorf("%d records are missing, runs by hash = %v, want none missing and one run per hash", want, runs)
	}
}

// TestRekey tests that Rekey adds the records under other keys, in their order, and drops some.
func TestRekey(t *testing.T) {
	for _, limit := range []int{0, 8} {
		s, to := &Sorter{Dir: t.TempDir(), Limit: limit}, &Sorter{Dir: t.TempDir(), Limit: limit}
		for key := range int64(6) {
			for i := range 2 {
				if err := s.Add(key, fmt.Append(nil, key, i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := s.Rekey(to, func(key int64) (int64, bool) { return key % 3, key != 4 }); err != nil {
			t.Fatal(err)
		}
		var got []record
		records(t, to, func(run []record) { got = append(got, run...) })
		if want := "[{0 0 0} {0 0 1} {0 3 0} {0 3 1} {1 1 0} {1 1 1} {2 2 0} {2 2 1} {2 5 0} {2 5 1}]"; fmt.Sprint(got) != want {
			t.Errorf("records after Rekey = %v, want %v", got, want)
		}
		if err := errors.Join(s.Close(), to.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSorterWithoutRoom tests that every call fails if no file can be created.
func TestSorterWithoutRoom(t *testing.T) {
	s := &Sorter{Dir: t.TempDir() + "/missing", Limit: 1}
	for range 2 {
		if err := s.Add(0, []byte("more than one")); err == nil {
			t.Error("Add without a folder = nil, want an error")
		}
		if err := s.Done(); err == nil {
			t.Error("Done without a folder = nil, want an error")
		}
	}
}

// TestCutFile tests that a truncated file is an error, and does not just have fewer records.
func TestCutFile(t *testing.T) {
	s := Sorter{Dir: t.TempDir(), Limit: 1}
	defer s.Close()
	for range 2 {
		if err := s.Add(3, []byte("set aside")); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []int64{11, 4, 0} { // a record has 11 bytes
		if err := s.partitions[3].file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := s.Each(3, func(*Run) error { return nil }); err == nil {
			t.Errorf("Each of a file of %d bytes = nil, want an error", size)
		}
		if err := s.Rekey(&Sorter{}, func(key int64) (int64, bool) { return key, true }); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("Rekey of a file of %d bytes = %v, want ErrCorrupt", size, err)
		}
	}
}

// FuzzRecords checks that any bytes are read as records or refused as corrupt.
func FuzzRecords(f *testing.F) {
	var good Records
	good.Add(1, []byte("one"))
	good.Add(-1, nil)
	f.Add([]byte(good))
	f.Add([]byte{0x80})
	f.Add([]byte{200, 1, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := sorted(data, 0)
		if err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		size := 0
		for _, record := range run.All() {
			size += len(record)
		}
		if size > len(data) {
			t.Errorf("%d bytes are read as records of %d bytes", len(data), size)
		}
	})
}

// TestAddAllCut tests that AddAll refuses a list whose last record is truncated.
func TestAddAllCut(t *testing.T) {
	var list Records
	list.Add(7, []byte("record"))
	for n := 1; n < len(list); n++ {
		if err := new(Sorter).AddAll(list[:n]); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("AddAll of %d of %d bytes = %v, want ErrCorrupt", n, len(list), err)
		}
	}
}
