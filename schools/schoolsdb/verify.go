package schoolsdb

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Kinds are the kinds of blocks of a partner.
var Kinds = []state.Kind{facts.RecordKind, facts.LedgerKind, facts.PresenceKind, facts.MinutesKind, facts.SeenKind, facts.SumsKind}

// VerifyBlock returns an error where an unsealed block of one of the Kinds is not of its form.
func VerifyBlock(k state.Kind, b state.Block) error { return facts.VerifyBlock(k, b) }

// Verify computes anew what the facts of one state say together, and calls found with a sentence for each thing that is wrong. An error
// is one of reading, as where a block is corrupt. Where a load makes another state hold meanwhile, what is found of events counts
// for nothing: those of a former state are not kept.
func (s *Store) Verify(ctx context.Context, partner directory.PartnerID, at state.Versions, found func(string)) error {
	books, err := s.Books(ctx, partner, at)
	if err != nil {
		return err
	}
	var users facts.Set
	err = directorydb.View{DB: s.DB, Partner: partner, At: at.Registers}.Accounts(ctx,
		func(id directory.UserID, _ directory.Kind, _ directory.EntityID, _, _ bool) { users.Add(id) })
	if err != nil {
		return err
	}
	return facts.Facts{Blocks: s, Partner: partner, At: at.Facts}.Verify(ctx, facts.Known{
		User: users.Has, Book: func(id int64) bool { return books.Book(id) != nil },
	}, found)
}
