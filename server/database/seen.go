package database

import (
	"sync/atomic"
	"time"
)

// seen is told of the statements of a pool.
type seen struct {
	tell atomic.Pointer[func(time.Duration)]
}

// since tells of a statement that began then and has its first row now, or its error.
func (s *seen) since(began time.Time) {
	if tell := s.tell.Load(); tell != nil {
		(*tell)(time.Since(began))
	}
}

// ObserveStatements has a function told how long each statement from now on takes, up to its first row or its end; COPY is not
// among them. It is called by many goroutines at once. A later call takes the place of the one before.
func (db *DB) ObserveStatements(tell func(took time.Duration)) {
	if db.seen != nil { // else the pool is not one of Open
		db.seen.tell.Store(&tell)
	}
}
