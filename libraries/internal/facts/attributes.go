package facts

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// BlockReaders is the number of neighbouring readers whose attributes are stored together, and whose records are in one
// partition of a load.
const BlockReaders = 1024

// AttributesBlock returns the number of the block of a reader.
func AttributesBlock(reader int64) int64 { return reader / BlockReaders }

// Attributes are what filters, groups and counts need of a reader.
type Attributes struct {
	ID                 int64
	Library, AgeGroup  int64 // or None
	State, City, RA    string
	Gender             libraries.Gender
	Status             libraries.ReaderStatus
	Registered         calendar.Date
	DeletedAt          calendar.Date // if the Status is inactive
	UpdatedDay         calendar.Date // the Brasilia day of Updated
	Loans              int64         // historical (totalLoans)
	ActiveReservations int64
}

// AttributesOf returns the attributes of a reader's row, with the counters 0.
func AttributesOf(r libraries.Reader) Attributes {
	a := Attributes{
		ID: r.ID, Library: r.Library, AgeGroup: r.AgeGroup, State: r.State, City: r.City, RA: r.RA,
		Gender: r.Gender, Status: r.Status, Registered: r.Registered, UpdatedDay: calendar.Day(r.Updated),
	}
	if r.Status.Inactive() {
		a.DeletedAt = r.DeletedAt
	}
	return a
}

// AttributeColumns are the attributes of the readers of a block, as columns. All but the identifiers stay packed, so that a
// report opens those of a million readers in a few milliseconds.
type AttributeColumns struct {
	IDs                                    []int64 // ascending
	Libraries, AgeGroups                   packed.Coded[int64]
	States, Cities, RAs                    packed.Coded[string]
	Genders, Statuses, Registered, Updated packed.Fixed
	Deleted                                packed.Fixed // only of inactive readers
	Loans, Reservations                    packed.Fixed
}

// Columns implements [packed.Form].
func (f *AttributeColumns) Columns(c *packed.Columns) {
	c.Version(1)
	packed.Ascending(packed.Rows(c, &f.IDs), 0, packed.Itself)
	n := len(f.IDs)
	c.Check(n <= BlockReaders)
	c.Integers(&f.Libraries, n)
	c.Integers(&f.AgeGroups, n)
	c.Texts(&f.States, n)
	c.Texts(&f.Cities, n)
	c.Texts(&f.RAs, n)
	c.Fixed(&f.Genders, n, 0, int64(libraries.OtherGender))
	c.Fixed(&f.Statuses, n, 0, int64(libraries.ReaderDeleted))
	c.Fixed(&f.Registered, n, firstDay, lastDay)
	c.Fixed(&f.Updated, n, firstDay, lastDay)
	c.Fixed(&f.Deleted, f.inactive(), firstDay, lastDay)
	c.Fixed(&f.Loans, n, 0, most)
	c.Fixed(&f.Reservations, n, 0, most)
}

// inactive counts the inactive readers.
func (f *AttributeColumns) inactive() (n int) {
	for i := range f.Statuses.Len() {
		if libraries.ReaderStatus(f.Statuses.At(i)).Inactive() {
			n++
		}
	}
	return n
}

// PackAttributes returns the columns of the readers of one block, who ascend.
func PackAttributes(rows []Attributes) *AttributeColumns {
	n := len(rows)
	f := &AttributeColumns{
		IDs:       make([]int64, n),
		Libraries: packed.CodedOf(n, func(i int) int64 { return rows[i].Library }),
		AgeGroups: packed.CodedOf(n, func(i int) int64 { return rows[i].AgeGroup }),
		States:    packed.CodedOf(n, func(i int) string { return rows[i].State }),
		Cities:    packed.CodedOf(n, func(i int) string { return rows[i].City }),
		RAs:       packed.CodedOf(n, func(i int) string { return rows[i].RA }),
	}
	numbers := make([]int64, 0, n)
	column := func(of func(*Attributes) int64) packed.Fixed {
		numbers = numbers[:0]
		for i := range rows {
			numbers = append(numbers, of(&rows[i]))
		}
		return packed.FixedOf(numbers)
	}
	f.Genders = column(func(a *Attributes) int64 { return int64(a.Gender) })
	f.Statuses = column(func(a *Attributes) int64 { return int64(a.Status) })
	f.Registered = column(func(a *Attributes) int64 { return int64(a.Registered) })
	f.Updated = column(func(a *Attributes) int64 { return int64(a.UpdatedDay) })
	f.Loans = column(func(a *Attributes) int64 { return a.Loans })
	f.Reservations = column(func(a *Attributes) int64 { return a.ActiveReservations })
	var deleted []calendar.Date
	for i := range rows {
		if f.IDs[i] = rows[i].ID; rows[i].Status.Inactive() {
			deleted = append(deleted, rows[i].DeletedAt)
		}
	}
	f.Deleted = packed.FixedOf(deleted)
	return f
}

// Rows returns the attributes of each reader.
func (f *AttributeColumns) Rows() []Attributes {
	rows := make([]Attributes, len(f.IDs))
	inactive := 0
	for i, id := range f.IDs {
		a := &rows[i]
		*a = Attributes{
			ID: id, Library: f.Libraries.Of(i), AgeGroup: f.AgeGroups.Of(i),
			State: f.States.Of(i), City: f.Cities.Of(i), RA: f.RAs.Of(i),
			Gender: libraries.Gender(f.Genders.At(i)), Status: libraries.ReaderStatus(f.Statuses.At(i)),
			Registered: calendar.Date(f.Registered.At(i)), UpdatedDay: calendar.Date(f.Updated.At(i)),
			Loans: f.Loans.At(i), ActiveReservations: f.Reservations.At(i),
		}
		if a.Status.Inactive() {
			a.DeletedAt = calendar.Date(f.Deleted.At(inactive))
			inactive++
		}
	}
	return rows
}
