package intake

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
)

// Reader checks a row of readers. The e-mail of a deleted one is left out, so that it is kept nowhere (L18), and of a forgotten one
// the name too. The error is a *FaultError.
func (in *Intake) Reader(r libraries.Reader) (libraries.Reader, error) {
	if r.Status == libraries.ReaderDeleted {
		r.Email = ""
	}
	if in.State.Forgotten[r.ID] {
		r.Forget()
	}
	if r.Library != libraries.None && !in.has(libraries.LibraryTerms, r.Library) {
		return r, row.Fault("libraryId", isMissing)
	}
	if r.AgeGroup != libraries.None && !in.has(libraries.AgeGroupTerms, r.AgeGroup) {
		return r, row.Fault("ageGroupId", isMissing)
	}
	if in.late(r.Updated) {
		return r, row.Fault("updatedAt", isLate)
	}
	return r, nil
}

// AddReader lets rows refer to a reader of the feed.
func (in *Intake) AddReader(id int64) { in.readers[id] = struct{}{} }
