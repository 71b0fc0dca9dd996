package intake

import (
	"cmp"
	"slices"

	"github.com/lectern-dev/lectern/directory"
)

// Update puts entities and accounts into the state that were written since it was read.
func (s *State) Update(entities []directory.Entity, accounts []directory.Account) {
	for _, e := range entities {
		s.Entities = put(s.Entities, e, func(a, b directory.Entity) int { return cmp.Compare(a.ID, b.ID) })
	}
	for _, a := range accounts {
		s.Accounts = put(s.Accounts, a, func(a, b directory.Account) int { return cmp.Compare(a.ID, b.ID) })
	}
}

// put puts a value into an ordered list, in the place of its like if there is one.
func put[T any](list []T, v T, order func(a, b T) int) []T {
	i, found := slices.BinarySearchFunc(list, v, order)
	if found {
		list[i] = v
		return list
	}
	return slices.Insert(list, i, v)
}
