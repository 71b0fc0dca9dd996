package intake

import (
	"slices"

	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/schools"
)

// Others returns a sorter with the events under the accounts of m.
func (s *Sorter) Others(m Moves) (*extsort.Sorter, error) { return s.moved(m) }

// BatchesOf returns the events of the runs of a partition, in batches of about n.
func BatchesOf(s *extsort.Sorter, i int, m Moves, n int) (all [][]schools.Event, err error) {
	return all, s.Each(i, func(run *extsort.Run) error {
		for batch := range batches(run, m, n) {
			all = append(all, slices.Clone(batch))
		}
		return nil
	})
}
