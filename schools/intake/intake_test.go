package intake_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
)

// newIntake returns the intake of a partner with one network (1), school (2), class (3), and a deleted school "velha"
// (4). Its accounts are "ana" (1), a deleted teacher "caio" (2), and "caio" again, deleted too (3).
func newIntake() *intake.Intake {
	books := schools.NewBooks(1)
	books.Add(schools.Book{ID: 10, Title: "Iracema", Length: 100})
	return &intake.Intake{
		Stored: intake.Stored{
			Partner: "acme",
			Entities: []directory.Entity{
				{ID: 1, Ref: "rede", Type: directory.Network, Name: "Rede", Degree: "F"},
				{ID: 2, Ref: "escola", Type: directory.School, Name: "Escola", Degree: "F", Parent: 1},
				{ID: 3, Ref: "turma", Type: directory.Class, Name: "Turma", Degree: "7", Parent: 2},
				{ID: 4, Ref: "velha", Type: directory.School, Name: "Velha", Degree: "F", Parent: 1, Deleted: true},
			},
			Accounts: []directory.Account{
				{ID: 1, Ref: "ana", Kind: directory.Reader, Name: "Ana", Entity: 3, Active: true, AccessToken: "T1"},
				{ID: 2, Ref: "caio", Kind: directory.Teacher, Entity: 2, Deleted: true},
				{ID: 3, Ref: "caio", Kind: directory.Teacher, Entity: 2, Deleted: true},
			},
			Books: books, Degrees: directory.DefaultDegrees(), LastEntity: 4, LastUser: 3,
		},
		Began: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), History: calendar.MustParse("2026-01-01"),
	}
}

// lined returns rows that all have the same line number.
func lined[R any](line int, rows ...R) (list []row.Lined[R]) {
	for _, r := range rows {
		list = append(list, row.Lined[R]{Line: line, Row: r})
	}
	return list
}

// entity returns the row of an entity with a fixed name and degree.
func entity(ref, kind, parent string) intake.EntityRow {
	return intake.EntityRow{Ref: ref, Type: kind, Name: "Nome", Degree: "F", ParentRef: parent}
}

// TestEntityRows tests what becomes of each row, given the data of newIntake.
func TestEntityRows(t *testing.T) {
	tests := []struct {
		name string
		rows []intake.EntityRow
		want string // the counts and the faults
	}{
		{"new school", []intake.EntityRow{entity("nova", "school", "rede")}, "new 1"},
		{"child before its parent", []intake.EntityRow{entity("t", "class", "s"), entity("s", "school", "n"), entity("n", "network", "")}, "new 3"},
		{"network under the partner's reference", []intake.EntityRow{entity("n", "network", "acme")}, "new 1"},
		{"network under another reference", []intake.EntityRow{entity("n", "network", "x")}, "line 5 parentReferenceId must be the partner's reference, or empty"},
		{"same as before", []intake.EntityRow{{Ref: "rede", Type: "network", Name: "Rede", Degree: "F"}}, "unchanged 1"},
		{"renamed", []intake.EntityRow{entity("rede", "network", "")}, "changed 1"},
		{"last line wins", []intake.EntityRow{entity("rede", "network", ""), {Ref: "rede", Type: "network", Name: "Rede", Degree: "F"}}, "unchanged 1, superseded 1"},
		{"a bad line before a good one", []intake.EntityRow{entity("s", "school", "nowhere"), entity("s", "school", "rede")}, "new 1, line 5 parentReferenceId does not exist"},
		{"a bad line after a good one", []intake.EntityRow{entity("s", "school", "rede"), entity("s", "school", "nowhere"), entity("t", "class", "s")}, "new 2, line 5 parentReferenceId does not exist"},
		{"type changed", []intake.EntityRow{entity("turma", "school", "rede")}, "line 5 entityType can't be changed"},
		{"unknown type", []intake.EntityRow{entity("x", "city", "rede")}, "line 5 entityType must be one of network, school, class"},
		{"unknown parent", []intake.EntityRow{entity("x", "school", "nowhere")}, "line 5 parentReferenceId does not exist"},
		{"no parent", []intake.EntityRow{entity("x", "class", "")}, "line 5 parentReferenceId is required"},
		{"parent at the wrong level", []intake.EntityRow{entity("x", "class", "rede")}, "line 5 parentReferenceId is a network, not a school"},
		{"names a deleted entity", []intake.EntityRow{entity("velha", "school", "rede")}, "deleted 1"},
		{"under a deleted entity", []intake.EntityRow{entity("t", "class", "velha")}, "deleted 1"},
		{"live entity moved under a deleted one", []intake.EntityRow{entity("turma", "class", "velha")}, "deleted 1"},
		{"reference of 256 characters", []intake.EntityRow{entity(strings.Repeat("é", 256), "school", "rede")}, "line 5 referenceId is invalid"},
		{"reference of 255 characters", []intake.EntityRow{entity(strings.Repeat("é", 255), "school", "rede")}, "new 1"},
		{"degree outside the vocabulary", []intake.EntityRow{{Ref: "x", Type: "school", Name: "N", Degree: "10", ParentRef: "rede"}}, "line 5 degree is invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var faults []string
			c, err := newIntake().Entities(lined(5, tt.rows...), collectFaults(&faults))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(append(counted(c), faults...), ", "); got != tt.want {
				t.Errorf("Entities = %q, want %q", got, tt.want)
			}
		})
	}
}

// collectFaults returns a function that collects the faults of rows and goes on.
func collectFaults(faults *[]string) row.Rejected {
	return func(line int, field, reason string) error {
		*faults = append(*faults, fmt.Sprintf("line %d %s %s", line, field, reason))
		return nil
	}
}

// counted returns the counts that are not zero, except that of bad rows, whose faults are collected.
func counted(c row.Counts) (s []string) {
	for _, n := range []struct {
		name string
		n    int
	}{{"new", c.New}, {"changed", c.Changed}, {"unchanged", c.Unchanged}, {"superseded", c.Superseded}, {"deleted", c.Deleted}} {
		if n.n > 0 {
			s = append(s, fmt.Sprint(n.name, " ", n.n))
		}
	}
	return s
}

// TestEntityIdentifiers tests the order of S1: new entities are numbered by level, then by the bytes of their references.
func TestEntityIdentifiers(t *testing.T) {
	in := newIntake()
	_, err := in.Entities(lined(1, []intake.EntityRow{entity("t", "class", "é"), entity("é", "school", "rede"), entity("z", "school", "rede"), entity("n", "network", "")}...), nil)
	var got []string
	for _, e := range in.PutEntities {
		got = append(got, fmt.Sprintf("%d %s %d", e.ID, e.Ref, e.Parent))
	}
	if want := []string{"5 n 0", "6 z 1", "7 é 1", "8 t 7"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("ids = %v, %v, want %v", got, err, want)
	}
}

// TestAccountRows tests what becomes of each row, given the data of newIntake.
func TestAccountRows(t *testing.T) {
	tests := []struct {
		name string
		row  intake.AccountRow
		want string
	}{
		{"new reader", intake.AccountRow{Ref: "bia", Kind: "reader", EntityRef: "turma"}, "new 1"},
		{"kind changed", intake.AccountRow{Ref: "ana", Kind: "teacher", Name: "Ana", EntityRef: "turma", Active: true}, "changed 1"},
		{"same as before", intake.AccountRow{Ref: "ana", Kind: "reader", Name: "Ana", EntityRef: "turma", Active: true}, "unchanged 1"},
		{"names a deleted account", intake.AccountRow{Ref: "caio", Kind: "teacher", EntityRef: "turma"}, "deleted 1"},
		{"attached to a deleted entity", intake.AccountRow{Ref: "bia", Kind: "reader", EntityRef: "velha"}, "deleted 1"},
		{"attached to an unknown entity", intake.AccountRow{Ref: "bia", Kind: "reader", EntityRef: "x"}, "line 3 entityReferenceId does not exist"},
		{"reader without an entity", intake.AccountRow{Ref: "bia", Kind: "reader"}, "line 3 entityReferenceId is required"},
		{"administrator without an entity", intake.AccountRow{Ref: "adm", Kind: "administrator"}, "new 1"},
		{"unknown kind", intake.AccountRow{Ref: "bia", Kind: "student", EntityRef: "turma"}, "line 3 kind must be one of reader, teacher, administrator, internal"},
		{"phone of 64 characters", intake.AccountRow{Ref: "bia", Kind: "reader", Phone: strings.Repeat("1", 64), EntityRef: "turma"}, "new 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := newIntake()
			var faults []string
			if _, err := in.Entities(nil, nil); err != nil {
				t.Fatal(err)
			}
			c, err := in.Accounts(lined(3, tt.row), collectFaults(&faults))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(append(counted(c), faults...), ", "); got != tt.want {
				t.Errorf("Accounts = %q, want %q", got, tt.want)
			}
			for _, a := range in.PutAccounts {
				if a.Ref == "ana" && (a.ID != 1 || a.AccessToken != "T1") {
					t.Errorf("changed account = %+v, want the same id and token", a)
				}
			}
		})
	}
}

// TestCarriedReferences tests that an event belongs to the account that owned its reference at the event's time, or when the
// load began if the event is later. A row under a reference that an account gave up is that account's, unless the load has a
// row under its present one too (F4). Ana (1) gave up "anita" and "nita". Account 4 took "caio" from a deleted one (3) at 11,
// gave up "edu", and is deleted. Account 6 took "rui" from a deleted one (5) at 10. The load begins at 12.
func TestCarriedReferences(t *testing.T) {
	clock := func(hour int) time.Time { return time.Date(2026, 3, 10, hour, 0, 0, 0, time.UTC) }
	account := func(ref string) intake.AccountRow {
		return intake.AccountRow{Ref: ref, Kind: "reader", Name: "Novo", EntityRef: "turma", Active: true}
	}
	type owners = map[string][4]directory.UserID // at 9, 11, 12 and 13
	for name, tt := range map[string]struct {
		rows  []intake.AccountRow
		count string
		put   string // number and reference of the accounts
		want  owners
	}{
		"no row":                     {nil, "", "", owners{"anita": {1, 1, 1, 1}, "ana": {1, 1, 1, 1}, "caio": {3, 4, 4, 4}, "edu": {4, 4, 4, 4}, "rui": {5, 6, 6, 6}}},
		"the earlier reference":      {[]intake.AccountRow{account("anita")}, "changed 1", "1 ana", owners{"anita": {1, 1, 1, 1}, "ana": {1, 1, 1, 1}}},
		"both references":            {[]intake.AccountRow{account("anita"), account("ana")}, "new 1, changed 1", "1 ana, 7 anita", owners{"anita": {1, 1, 7, 7}, "ana": {1, 1, 1, 1}}},
		"two earlier references":     {[]intake.AccountRow{account("anita"), account("nita")}, "changed 1, superseded 1", "1 ana", owners{"anita": {1, 1, 1, 1}, "nita": {1, 1, 1, 1}}},
		"of a deleted account":       {[]intake.AccountRow{account("caio")}, "deleted 1", "", owners{"caio": {3, 4, 4, 4}}},
		"given up by a deleted user": {[]intake.AccountRow{account("edu")}, "deleted 1", "", owners{"edu": {4, 4, 4, 4}}},
		"replaces a deleted account": {[]intake.AccountRow{account("rui")}, "changed 1", "6 rui", owners{"rui": {5, 6, 6, 6}}},
		"of a missing account":       {[]intake.AccountRow{account("ghost")}, "deleted 1", "", owners{"ghost": {99, 99, 99, 99}}},
		"a new account":              {[]intake.AccountRow{account("bia")}, "new 1", "7 bia", owners{"bia": {7, 7, 7, 7}}},
	} {
		t.Run(name, func(t *testing.T) {
			in := newIntake()
			st := &in.Stored
			st.Accounts = append(st.Accounts, directory.Account{ID: 4, Ref: "caio", Kind: directory.Teacher, Deleted: true},
				directory.Account{ID: 5, Ref: "rui", Kind: directory.Teacher, Deleted: true}, directory.Account{ID: 6, Ref: "rui", Kind: directory.Teacher})
			st.LastUser = 6
			st.RefOwners = directory.RefOwners{"anita": directory.OwnedBy(1), "nita": directory.OwnedBy(1), "edu": directory.OwnedBy(4), "ghost": directory.OwnedBy(99),
				"caio": append(directory.OwnedBy(3), directory.RefOwner{Since: clock(11), Account: 4}), "rui": append(directory.OwnedBy(5), directory.RefOwner{Since: clock(10), Account: 6})}
			in.Began, st.Began = clock(13), clock(12)
			if _, err := in.Entities(nil, nil); err != nil {
				t.Fatal(err)
			}
			c, err := in.Accounts(lined(1, tt.rows...), nil)
			var put []string
			for _, a := range in.PutAccounts {
				put = append(put, fmt.Sprint(a.ID, " ", a.Ref))
			}
			if got := strings.Join(counted(c), ", "); err != nil || got != tt.count || strings.Join(put, ", ") != tt.put {
				t.Errorf("Accounts = %q, %v, put %v, want %q and %q", got, err, put, tt.count, tt.put)
			}
			for ref, want := range tt.want {
				for i, hour := range []int{9, 11, 12, 13} {
					if e, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte(ref), At: clock(hour), Kind: []byte("login")}); err != nil || e.User != want[i] {
						t.Errorf("Access of %s at %d: user %d, %v, want %d", ref, hour, e.User, err, want[i])
					}
				}
			}
		})
	}
}

// TestRebase tests a load whose tables are validated again. Its new rows keep their numbers, once these are reserved. A new account
// owns its reference from the beginning of the load, or from now on if another has taken it since (S1, F4).
func TestRebase(t *testing.T) {
	clock := func(hour int) time.Time { return time.Date(2026, 3, 10, hour, 0, 0, 0, time.UTC) }
	const before, reserved = "5 s, 1 ana 5, 4 anita 5, 5 bia 5, 6 outra 5", "7 s, 1 ana 7, 10 anita 7, 11 bia 7, 12 outra 7"
	validate := func(name string, in *intake.Intake, want string, since time.Time) *intake.Intake {
		t.Helper()
		var rows []intake.AccountRow
		for _, ref := range []string{"outra", "bia", "anita", "ana"} {
			rows = append(rows, intake.AccountRow{Ref: ref, Kind: "reader", EntityRef: "s"})
		}
		_, e1 := in.Entities(lined(1, entity("s", "school", "rede")), nil)
		_, e2 := in.Accounts(lined(1, rows...), nil)
		var put []string
		for _, e := range in.PutEntities {
			put = append(put, fmt.Sprint(e.ID, " ", e.Ref))
		}
		for _, a := range in.PutAccounts {
			put = append(put, fmt.Sprint(a.ID, " ", a.Ref, " ", a.Entity))
		}
		if got := strings.Join(put, ", "); e1 != nil || e2 != nil || got != want {
			t.Errorf("%s: put %s, %v, %v, want %s", name, got, e1, e2, want)
		}
		if got := in.PutRefOwners["anita"]; len(got) != 1 || !got[0].Since.Equal(since) {
			t.Errorf("%s: owners of anita %+v, want one since %v", name, got, since)
		}
		return in
	}
	first := newIntake()
	first.Stored.Began, first.Stored.RefOwners = clock(12), directory.RefOwners{"anita": directory.OwnedBy(1)}
	validate("first", first, before, clock(12))
	if e, u := first.Unreserved(); e != 1 || u != 3 || first.Reserve(6, 9) {
		t.Errorf("Unreserved = %d, %d, and Reserve is true, want 1, 3 and false: others took numbers", e, u)
	}
	in := validate("numbers taken", first.Rebase(first.Stored), reserved, clock(12))
	if e, u := in.Unreserved(); e+u != 0 {
		t.Errorf("Unreserved after Reserve = %d, %d, want none", e, u)
	}
	in.EventsRead()
	twice := newIntake()
	_, e1 := twice.Entities(nil, nil)
	_, e2 := twice.Accounts(lined(1, intake.AccountRow{Ref: "bia", Kind: "reader", EntityRef: "velha"}, intake.AccountRow{Ref: "bia", Kind: "reader", EntityRef: "turma"}), nil)
	if got := twice.Moves(twice); e1 != nil || e2 != nil || len(got) > 0 {
		t.Errorf("Moves of a row below a deleted entity and a good one = %v, %v, %v, want none", got, e1, e2)
	}
	st := in.Stored
	st.Now = clock(13)
	later := validate("a later write", in.Rebase(st), reserved, clock(12))
	taken := st
	taken.Accounts = append(slices.Clone(st.Accounts), directory.Account{ID: 8, Ref: "outra", Kind: directory.Teacher})
	taken.Entities = append(slices.Clone(st.Entities), directory.Entity{ID: 8, Ref: "s", Type: directory.School, Name: "Nome", Degree: "F", Parent: 1})
	taken.RefOwners = directory.RefOwners{"anita": append(directory.OwnedBy(1), directory.RefOwner{Since: clock(12).Add(time.Minute), Account: 8})}
	last := validate("references taken", later.Rebase(taken), "1 ana 8, 10 anita 8, 11 bia 8, 8 outra 8", clock(13))
	validate("and given up", last.Rebase(st), reserved, clock(12))
	for name, tt := range map[string]struct {
		later *intake.Intake
		want  intake.Moves
	}{"the same": {in, intake.Moves{}}, "a later write": {later, intake.Moves{}}, "references taken": {last, intake.Moves{10: 1, 12: 8}}} {
		if got := in.Moves(tt.later); !maps.Equal(got, tt.want) {
			t.Errorf("Moves to %s = %v, want %v", name, got, tt.want)
		}
	}
}

// TestReferenceWithoutHistory tests that a reference without a history belongs to the live account, whatever the numbers of the
// deleted ones.
func TestReferenceWithoutHistory(t *testing.T) {
	in := newIntake()
	in.Stored.Accounts = append(in.Stored.Accounts, directory.Account{ID: 4, Ref: "ana", Kind: directory.Reader, Entity: 3, Deleted: true})
	if _, err := in.Entities(nil, nil); err != nil {
		t.Fatal(err)
	}
	c, err := in.Accounts(lined(1, []intake.AccountRow{{Ref: "ana", Kind: "reader", Name: "Ana", EntityRef: "turma", Active: true}}...), nil)
	if err != nil || c.Unchanged != 1 {
		t.Errorf("Accounts = %+v, %v, want one unchanged", c, err)
	}
	at := calendar.MustParse("2026-03-10").Start()
	if e, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte("ana"), At: at, Kind: []byte("login")}); err != nil || e.User != 1 {
		t.Errorf("Access: user %d, %v, want the live account, 1", e.User, err)
	}
}

// TestRefOwnersToTheMicrosecond tests that owners of a reference change at the whole microseconds that are stored.
func TestRefOwnersToTheMicrosecond(t *testing.T) {
	in := newIntake()
	began := time.Date(2026, 3, 10, 12, 0, 0, 1999, time.UTC)
	in.Stored.Began = began
	in.Stored.RefOwners = directory.RefOwners{"anita": directory.OwnedBy(1)}
	if _, err := in.Entities(nil, nil); err != nil {
		t.Fatal(err)
	}
	rows := []intake.AccountRow{{Ref: "ana", Kind: "reader", EntityRef: "turma"}, {Ref: "anita", Kind: "reader", EntityRef: "turma"}}
	if _, err := in.Accounts(lined(1, rows...), nil); err != nil {
		t.Fatal(err)
	}
	since := began.Truncate(time.Microsecond)
	if got := in.PutRefOwners["anita"]; len(got) != 1 || got[0] != (directory.RefOwner{Since: since, Account: 4}) {
		t.Errorf("owners of anita = %v, want the new account from %v", got, since)
	}
	for at, want := range map[time.Time]directory.UserID{since.Add(-1): 1, since: 4, began: 4, began.Add(time.Second): 4} {
		if e, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte("anita"), At: at, Kind: []byte("login")}); err != nil || e.User != want {
			t.Errorf("Access at %v: user %d, %v, want %d", at, e.User, err, want)
		}
	}
}

// TestBelowDeleted tests a feed that still has a deleted school. What it puts below the school is skipped on every
// level, down to the events (F4). A class that exists elsewhere stays there with its accounts.
func TestBelowDeleted(t *testing.T) {
	in := newIntake()
	c, err := in.Entities(lined(1, []intake.EntityRow{entity("velha", "school", "rede"), entity("nova", "class", "velha"), entity("turma", "class", "velha")}...), nil)
	if err != nil || c.Deleted != 3 {
		t.Fatalf("Entities = %+v, %v, want 3 deleted", c, err)
	}
	c, err = in.Accounts(lined(1, []intake.AccountRow{
		{Ref: "bia", Kind: "reader", EntityRef: "nova"}, {Ref: "caio", Kind: "teacher", EntityRef: "turma"}, {Ref: "davi", Kind: "reader", EntityRef: "turma"},
	}...), nil)
	if err != nil || c.Deleted != 2 || c.New != 1 {
		t.Fatalf("Accounts = %+v, %v, want 2 deleted and one new", c, err)
	}
	c, err = in.Evaluations(lined(1, []intake.EvaluationRow{{ID: 1, EntityRef: "nova"}, {ID: 2, EntityRef: "turma"}}...), nil)
	if err != nil || c.Deleted != 1 || c.New != 1 {
		t.Fatalf("Evaluations = %+v, %v, want one deleted and one new", c, err)
	}
	at := calendar.MustParse("2026-03-10").Start()
	moves := in.Moves(in)
	for account, want := range map[string]bool{"bia": true, "caio": false, "davi": false, "ana": false} {
		e, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte(account), At: at, Kind: []byte("login")})
		if to, moved := moves[e.User]; err != nil || moved != want || to != 0 {
			t.Errorf("Access of %s: user %d, %v, dropped %v, want %v", account, e.User, err, moved, want)
		}
	}
	if _, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte("bia"), At: at, Kind: []byte("nonsense")}); !errors.Is(err, row.ErrDeleted) {
		t.Errorf("Access of a deleted account with an invalid kind = %v, want ErrDeleted", err)
	}
}

// validated returns an intake whose tables were validated without a row.
func validated(t *testing.T) *intake.Intake {
	t.Helper()
	in := newIntake()
	if _, err := in.Entities(nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Accounts(nil, nil); err != nil {
		t.Fatal(err)
	}
	return in
}

// TestSegmentRows tests both sides of every bound of F3 and G6.
func TestSegmentRows(t *testing.T) {
	day := func(s string) time.Time { v, _ := time.Parse(time.RFC3339, s); return v }
	good := reading.Segment{Start: day("2026-03-10T12:00:00Z"), DurationMS: 86_400_000, From: 3, To: 3}
	tests := []struct {
		name    string
		account string
		book    int64
		change  func(*reading.Segment)
		want    string
	}{
		{"one day long, without extent", "ana", 10, nil, ""},
		{"longer than one day", "ana", 10, func(s *reading.Segment) { s.DurationMS++ }, "durationMs must not be above one day"},
		{"from above to", "ana", 10, func(s *reading.Segment) { s.From++ }, "from must not be above to"},
		{"unknown account", "bia", 10, nil, "account does not exist"},
		{"deleted account", "caio", 10, nil, ""},
		{"unknown book", "ana", 11, nil, "bookId does not exist"},
		{"five minutes after the load began", "ana", 10, func(s *reading.Segment) { s.Start = day("2026-03-10T12:05:00Z") }, ""},
		{"a nanosecond later", "ana", 10, func(s *reading.Segment) { s.Start = day("2026-03-10T12:05:00.000000001Z") }, "startedAt must not be more than 5 minutes after the load began"},
		{"first second of the history", "ana", 10, func(s *reading.Segment) { s.Start = day("2026-01-01T03:00:00Z") }, ""},
		{"last second before the history", "ana", 10, func(s *reading.Segment) { s.Start = day("2026-01-01T02:59:59Z") }, "before the history"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := good
			if tt.change != nil {
				tt.change(&s)
			}
			e, err := validated(t).Segment(intake.SegmentRow{ID: []byte("s1"), Account: []byte(tt.account), Book: tt.book, Start: s.Start, DurationMS: s.DurationMS, From: s.From, To: s.To})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Segment = %v, want %q", err, tt.want)
			}
			if tt.account == "caio" && e.User != 3 {
				t.Errorf("reference of two deleted accounts: user %d, want the last one, 3", e.User)
			}
		})
	}
}

// TestAccessKinds tests S6: which kinds make a day of access, which are only received, and that others are an error.
func TestAccessKinds(t *testing.T) {
	in := validated(t)
	at := calendar.MustParse("2026-03-10").Start()
	for kind, want := range map[string]schools.Effect{
		"login": schools.Presence, "session": schools.Presence, "reading": schools.Presence, "audiobook": schools.Presence,
		"activity": schools.Presence, "assessment": schools.Presence,
		"recommendation-received": schools.Silent, "activity-received": schools.Silent,
	} {
		if e, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte("ana"), At: at, Kind: []byte(kind)}); err != nil || e.Effect != want {
			t.Errorf("Access of kind %s: effect %d, %v, want %d", kind, e.Effect, err, want)
		}
	}
	var wrong *row.FaultError
	if _, err := in.Access(intake.AccessRow{ID: []byte("a1"), Account: []byte("ana"), At: at, Kind: []byte("Login")}); !errors.As(err, &wrong) || wrong.Field != "kind" {
		t.Errorf("Access of kind Login = %v, want a FaultError for kind", err)
	}
}
