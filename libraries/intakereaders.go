package libraries

import "github.com/lectern-dev/lectern/paging/row"

// Reader checks a row of readers. The e-mail of a deleted one is left out, so that it is kept nowhere (L18). The error is a
// *FaultError.
func (in *Intake) Reader(r Reader) (Reader, error) {
	if r.Status == ReaderDeleted {
		r.Email = ""
	}
	if r.Library != None && !in.has(LibraryTerms, r.Library) {
		return r, row.Fault("libraryId", isMissing)
	}
	if r.AgeGroup != None && !in.has(AgeGroupTerms, r.AgeGroup) {
		return r, row.Fault("ageGroupId", isMissing)
	}
	if in.late(r.Updated) {
		return r, row.Fault("updatedAt", isLate)
	}
	return r, nil
}

// AddReader lets rows refer to a reader of the feed.
func (in *Intake) AddReader(id int64) { in.readers[id] = struct{}{} }
