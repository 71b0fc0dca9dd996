package directorydb

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
)

// LookStatement is what a look asks.
var LookStatement = (*Store).lookStatement

// Waiting is how many writes of a partner have come and not ended.
func Waiting(s *Store, p directory.PartnerID) int {
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	if g := s.groups.of[s.groupOf(p)]; g != nil {
		return g.users
	}
	return 0
}

// WriteThatPanics does a write that panics.
func WriteThatPanics(s *Store, ctx context.Context, p directory.PartnerID) error {
	_, err := s.written(ctx, ask{partner: p}, func(context.Context, *Write, sight) error { panic("a write") })
	return err
}
