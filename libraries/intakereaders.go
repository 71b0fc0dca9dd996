package libraries

import "github.com/lectern-dev/lectern/reading/calendar"

// ReaderRow is a row of readers as the feed has it: the texts that Reader has no room for, and of the Reader all but
// Gender, Status and DeletedAt.
type ReaderRow struct {
	Reader         Reader
	Gender, Status string
	DeletedAt      *calendar.Date
}

// Reader makes a reader of a row. The e-mail of a deleted one is left out, so that it is kept nowhere (L18). The error is a
// *FaultError.
func (in *Intake) Reader(row ReaderRow) (Reader, error) {
	r := row.Reader
	var ok bool
	if r.Status, ok = ParseReaderStatus(row.Status); !ok {
		return r, oneOf("status", readerStatuses[1:])
	}
	switch {
	case r.Status.Gone() && row.DeletedAt == nil:
		return r, &FaultError{"deletedAt", isRequired + " unless the reader is active"}
	case !r.Status.Gone() && row.DeletedAt != nil:
		return r, &FaultError{"deletedAt", "must be empty while the reader is active"}
	case r.Status.Gone():
		r.DeletedAt = *row.DeletedAt
	}
	if r.Status == ReaderDeleted {
		r.Email = ""
	}
	if r.Gender, ok = in.gender(row.Gender); !ok {
		return r, oneOf("gender", genders[:])
	}
	if r.Library != None && !in.has(LibraryTerms, r.Library) {
		return r, &FaultError{"libraryId", isMissing}
	}
	if r.AgeGroup != None && !in.has(AgeGroupTerms, r.AgeGroup) {
		return r, &FaultError{"ageGroupId", isMissing}
	}
	if in.late(r.Updated) {
		return r, &FaultError{"updatedAt", isLate}
	}
	r.Updated, r.Confirmed, r.LastLogin = instant(r.Updated), instant(r.Confirmed), instant(r.LastLogin)
	return r, nil
}

// gender is ParseGender, faster for the texts that come most.
func (in *Intake) gender(text string) (Gender, bool) {
	if g, ok := in.genders[text]; ok {
		return g, true
	}
	return ParseGender(text)
}

// AddReader lets rows refer to a reader of the feed.
func (in *Intake) AddReader(id int64) { in.readers[id] = struct{}{} }
