package directory

import (
	"sort"
	"time"
)

// Carrier is an account that took a reference at an instant, in whole microseconds. It carries it until another account
// takes it, whether it has it still, gave it up for another or was deleted (F4).
type Carrier struct {
	Since   time.Time // of the first carrier of a reference it does not matter: it stands for all time before, too
	Account UserID
}

// Carriers is the history of the references that more than one account carried, or that an account gave up for another:
// who carried each, in the order of time. A reference that is not in it has one carrier from the beginning: the account
// that has it, live or deleted.
type Carriers map[Ref][]Carrier

// At returns the account that carried a reference at an instant: earlier than all carriers the first, in a gap the one
// before. It is none, 0, for a reference without a history.
func (c Carriers) At(ref Ref, t time.Time) UserID {
	list := c[ref]
	later := sort.Search(len(list), func(i int) bool { return list[i].Since.After(t) })
	if later == 0 && len(list) > 0 {
		return list[0].Account
	}
	if later == 0 {
		return 0
	}
	return list[later-1].Account
}

// Last returns the account that took a reference last, or none, 0, where the reference has no history.
func (c Carriers) Last(ref Ref) UserID {
	if list := c[ref]; len(list) > 0 {
		return list[len(list)-1].Account
	}
	return 0
}

// Take returns what an account that takes a reference at an instant adds to the reference's history, to stand at its end;
// was is the one account that has had it so far, where it has no history yet, or 0. Nothing is added where the account is
// the first to have it, or carries it already. The instant is put off until after the last one of the history, should a
// clock have gone back.
func (c Carriers) Take(ref Ref, was, account UserID, at time.Time) []Carrier {
	list := c[ref]
	var more []Carrier
	if len(list) == 0 {
		if was == 0 {
			return nil
		}
		more = Kept(was)
		list = more
	}
	last := list[len(list)-1]
	if last.Account == account {
		return more
	}
	at = at.Truncate(time.Microsecond)
	if !at.After(last.Since) {
		at = last.Since.Add(time.Microsecond)
	}
	return append(more, Carrier{at, account})
}

// Kept is the history of a reference that one account has carried from the beginning.
func Kept(account UserID) []Carrier { return []Carrier{{time.UnixMicro(0).UTC(), account}} }
