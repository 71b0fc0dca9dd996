package libraries_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// second returns the good feed with a second row in a file: its good row with some text replaced.
func second(name string, changes ...string) map[string]string {
	return and(name, rowOf(name, changes...))
}

// badFeeds returns bad feeds, each with a part of the expected error. They are loaded on 10 August.
func badFeeds() map[string]struct {
	files map[string]string
	want  string
} {
	const sessions, loans, reservations, readers = "sessions.ndjson", "loans.ndjson", "reservations.ndjson", "readers.ndjson"
	session := func(changes ...string) map[string]string {
		return second(sessions, append([]string{"s1", "s2"}, changes...)...)
	}
	loan := func(changes ...string) map[string]string {
		return second(loans, append([]string{`"loanId":1`, `"loanId":2`}, changes...)...)
	}
	reservation := func(changes ...string) map[string]string {
		return second(reservations, append([]string{`"reservationId":1`, `"reservationId":2`}, changes...)...)
	}
	return map[string]struct {
		files map[string]string
		want  string
	}{
		"not JSON":          {and(sessions, "nonsense"), "sessions.ndjson line 2"},
		"no file":           {map[string]string{"notes.txt": "nothing"}, "has none of the files libraries, ageGroups"},
		"misspelt file":     {map[string]string{"session.ndjson": good[sessions]}, "session.ndjson"},
		"two files":         {joined(good, map[string]string{"books.csv": "bookId\n1\n"}), "books.csv"},
		"member in capital": {session(`"seconds"`, `"Seconds"`), "sessions.ndjson line 2: field Seconds: is unknown; write seconds"},
		"unknown member":    {second("books.ndjson", `"title"`, `"titel"`), "books.ndjson line 2: field titel: is unknown; write title"},
		"unknown column":    {with("libraries.csv", "id,nome\n1,A\n"), "libraries.csv line 1: field nome: is unknown; write name"},

		"term without a name":  {with("libraries.csv", "id,name\n1,\n"), "libraries.csv line 2: field name: is required"},
		"term of a text":       {with("subjects.ndjson", `{"id":"1","name":"a"}`), "subjects.ndjson line 1: field id: must be an integer"},
		"not a list":           {second("books.ndjson", `[1]`, `1`), "books.ndjson line 2: field categoryIds: must be a list"},
		"list of texts in CSV": {with("books.csv", "bookId,categoryIds\n1,1;a\n"), "books.csv line 2: field categoryIds: each of the list must be an integer"},
		"a bad row of a key":   {with("books.ndjson", `{"bookId":1,"publisherId":9}`+"\n"+good["books.ndjson"]), "books.ndjson line 1: field publisherId"},
		"negative price":       {second("lines.ndjson", `12.5`, `-0.01`), "lines.ndjson line 2: field unitPrice"},
		"negative copies":      {second("lines.ndjson", `"copies":2`, `"copies":-1`), "lines.ndjson line 2: field copies: must not be negative"},
		"no such day":          {second("lines.ndjson", `2026-07-30`, `2026-02-30`), "lines.ndjson line 2: field purchasedAt: does not exist in the calendar"},
		"estimated by a text":  {second("channels.ndjson", `true`, `"yes"`), "channels.ndjson line 2: field estimated: must be true or false"},
		"negative sessions":    {second("channels.ndjson", `9`, `-9`), "channels.ndjson line 2: field sessions: must not be negative"},

		"deactivated without a time":  {second(readers, `"active"`, `"deactivated"`), "readers.ndjson line 2: field deletedAt: is required unless"},
		"deleted without deletedAt":   {second(readers, `"active"`, `"deleted"`), "readers.ndjson line 2: field deletedAt: is required unless"},
		"active with deletedAt":       {second(readers, `"active"`, `"active","deletedAt":"2026-08-01"`), "readers.ndjson line 2: field deletedAt: must be empty"},
		"reader without updatedAt":    {second(readers, `,"updatedAt":"2026-08-01T12:00:00Z"`, ``), "readers.ndjson line 2: field updatedAt: is required"},
		"reader without registeredAt": {second(readers, `"registeredAt":"2025-01-01",`, ``), "readers.ndjson line 2: field registeredAt: is required"},
		"updatedAt without an offset": {second(readers, `12:00:00Z`, `12:00:00`), "readers.ndjson line 2: field updatedAt"},

		"active with returnedAt":      {loan(`"active"`, `"active","returnedAt":"2026-08-05T10:00:00Z"`), "loans.ndjson line 2: field returnedAt: must be empty"},
		"another reader of a loan":    {joined(second(loans, `"userId":1`, `"userId":2`), map[string]string{readers: good[readers] + "\n" + rowOf(readers, `"userId":1`, `"userId":2`)}), "loans.ndjson line 2: field userId: must not change"},
		"renewal without a reader":    {second("renewals.ndjson", "r1", "r2", `"userId":1,`, ``), "renewals.ndjson line 2: field userId: is required"},
		"renewal without a book":      {second("renewals.ndjson", "r1", "r2", `"bookId":1,`, ``), "renewals.ndjson line 2: field bookId: is required"},
		"renewal of a loan by a text": {second("renewals.ndjson", "r1", "r2", `"loanId":1`, `"loanId":"a"`), "renewals.ndjson line 2: field loanId: must be an integer"},

		"negative position": {reservation(`"position":1`, `"position":-1`), "reservations.ndjson line 2: field position: must not be negative"},

		"negative seconds":     {session(`600`, `-1`), "sessions.ndjson line 2: field seconds: must not be negative"},
		"seconds out of range": {session(`600`, `1e16`), "sessions.ndjson line 2: field seconds: must be from 0 to 9007199254740991"},
		"price out of range":   {second("lines.ndjson", `12.5`, `90071992547409.915`), "lines.ndjson line 2: field unitPrice: must be an amount of money from 0 to 90071992547409.91"},
		"negative maxUses":     {second("books.ndjson", `"maxUses":5`, `"maxUses":-1`), "books.ndjson line 2: field maxUses: must not be negative"},
		"part of a second":     {session(`600`, `0.5`), "sessions.ndjson line 2: field seconds: must be an integer"},
		"progress of a text":   {session(`12.5`, `"12.5"`), "sessions.ndjson line 2: field progress: must be a number"},
		"identifier too long":  {session(`s2`, strings.Repeat("x", 65)), "sessions.ndjson line 2: field sessionId: must have at most 64 characters"},

		"preview of no book":                {second("previews.ndjson", `"bookId":1`, `"bookId":2`), "previews.ndjson line 2: field bookId: does not exist"},
		"suggestion after the load":         {second("suggestions.ndjson", `2026-08-03T14`, `2026-08-11T00`), "suggestions.ndjson line 2: field requestedAt: must not be more than 5 minutes after the load began"},
		"suggestion with a text for its id": {second("suggestions.ndjson", `"requestId":1`, `"requestId":"a"`), "suggestions.ndjson line 2: field requestId: must be an integer"},
	}
}

// TestBadFeedsLeaveNothing tests that an error names the place and the reason, and that nothing is loaded (F2, F3).
func TestBadFeedsLeaveNothing(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	for name, bad := range badFeeds() {
		if _, err := f.load(bad.files, nil); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: load = %v, want it to say %q", name, err, bad.want)
		}
		f.empty(name)
	}
}

// TestGoodEdges tests that a load accepts values just within the bounds that badFeeds exceeds.
func TestGoodEdges(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	session := func(id string, changes ...string) string {
		return rowOf("sessions.ndjson", append([]string{"s1", id}, changes...)...)
	}
	another := func(name string, changes ...string) string { return good[name] + "\n" + rowOf(name, changes...) }
	f.must(joined(good, map[string]string{
		"sessions.ndjson": strings.Join([]string{
			session("a", `600`, `86400`), session("b", `600`, `0`), session("c", `12.5`, `0`), session("d", `12.5`, `100`),
			session("e", `12.5`, `1e2`), session("f", `600`, `60.`+strings.Repeat("0", 120), `12.5`, `50.`+strings.Repeat("0", 120)), session(strings.Repeat("é", 64)),
			session("g", `2026-08-01T15:00:00`, `2026-08-10T12:25:00`), session("h", `2026-08-01T15:00:00`, `2026-07-21T00:00:00`),
		}, "\n"),
		"lines.ndjson":        another("lines.ndjson", `"lineId":1`, `"lineId":2`, `12.5`, `12.5`+strings.Repeat("0", 120)),
		"loans.ndjson":        another("loans.ndjson", `"loanId":1`, `"loanId":2`, `"active"`, `"expired","returnedAt":"2026-08-01T14:00:00-03:00"`),
		"renewals.ndjson":     another("renewals.ndjson", `"r1"`, `123`, `2026-08-10T11:00:00`, `2026-08-10T12:25:00`),
		"reservations.ndjson": another("reservations.ndjson", `"reservationId":1`, `"reservationId":2`, `"waiting"`, `"lost","resolvedAt":"2026-08-10T12:25:00-03:00"`),
	}))
	if n, want := f.sum(metric.ReadingSeconds), int64(86_400+60+6*600); n != want {
		t.Errorf("seconds = %d, want %d", n, want)
	}
	if n := f.sum(metric.Returns) + f.sum(metric.Renewals) + f.sum(metric.Reservations); n != 5 {
		t.Errorf("returns, renewals and reservations = %d, want 1 + 2 + 2", n)
	}
}

// TestStoreForbids tests that a load cannot change the fixed fields of rows that an earlier load stored (F1).
func TestStoreForbids(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(joined(good, map[string]string{
			"books.ndjson": good["books.ndjson"] + "\n" + `{"bookId":2}`, "readers.ndjson": good["readers.ndjson"] + "\n" + rowOf("readers.ndjson", `"userId":1`, `"userId":2`),
		}))
		for want, text := range map[string]string{
			"loans.ndjson line 1: field borrowedAt: must not change":        rowOf("loans.ndjson", "14:00:00", "14:00:00.001"),
			"loans.ndjson line 1: field userId: must not change":            rowOf("loans.ndjson", `"userId":1`, `"userId":2`),
			"loans.ndjson line 1: field bookId: must not change":            rowOf("loans.ndjson", `"bookId":1`, `"bookId":2`),
			"reservations.ndjson line 1: field reservedAt: must not change": rowOf("reservations.ndjson", "14:00:00", "15:00:00"),
			"reservations.ndjson line 1: field userId: must not change":     rowOf("reservations.ndjson", `"userId":1`, `"userId":2`),
			"reservations.ndjson line 1: field bookId: must not change":     rowOf("reservations.ndjson", `"bookId":1`, `"bookId":2`),
		} {
			name, _, _ := strings.Cut(want, " ")
			if _, err := f.load(map[string]string{name: text}, nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("load = %v, want %q", err, want)
			}
		}
	})
}

// TestSkipBad tests that a load can skip bad rows and list them. A row that refers to a bad row is bad too.
func TestSkipBad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		report := filepath.Join(t.TempDir(), "bad.txt")
		files := joined(good, map[string]string{
			"sessions.ndjson": good["sessions.ndjson"] + "\nnonsense\n" + rowOf("sessions.ndjson", "s1", "s2", "600", "86401") + "\n" + rowOf("sessions.ndjson", "2026-08-01", "2026-07-01"),
			"readers.ndjson":  good["readers.ndjson"] + "\n" + rowOf("readers.ndjson", `"userId":1`, `"userId":2`, "feminino", "mulher"),
			"loans.ndjson": strings.Join([]string{
				good["loans.ndjson"], rowOf("loans.ndjson", `"loanId":1`, `"loanId":2`, `"userId":1`, `"userId":2`), rowOf("loans.ndjson", "14:00:00", "15:00:00"),
			}, "\n"),
			"renewals.ndjson": good["renewals.ndjson"] + "\n" + rowOf("renewals.ndjson", "r1", "r2", `"userId":1`, `"userId":2`),
		})
		totals, err := f.load(files, func(o *load.Options) { o.SkipBad = report })
		if err != nil {
			t.Fatal(err)
		}
		if want := (row.Counts{Rows: 4, BeforeHistory: 1, Bad: 2}); *totals.File("sessions") != want {
			t.Errorf("sessions = %+v, want %+v", *totals.File("sessions"), want)
		}
		if want := (row.Counts{Rows: 3, New: 1, Bad: 2}); *totals.File("loans") != want {
			t.Errorf("loans = %+v, want %+v", *totals.File("loans"), want)
		}
		if want := (row.Counts{Rows: 2, New: 1, Bad: 1}); *totals.File("readers") != want {
			t.Errorf("readers = %+v, want %+v", *totals.File("readers"), want)
		}
		if want := (row.Counts{Rows: 2, Bad: 1}); *totals.File("renewals") != want {
			t.Errorf("renewals = %+v, want %+v", *totals.File("renewals"), want)
		}
		f.stored()
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"sessions.ndjson line 2: ", "sessions.ndjson line 3: field seconds: must not be above one day, 86400: 86401", `readers.ndjson line 2: field gender: must be one of Não informado, Feminino, Masculino, Não-binário, Outro: "mulher"`, "loans.ndjson line 2: field userId: does not exist: 2",
			`loans.ndjson line 3: field borrowedAt: must not change: "2026-08-01T15:00:00-03:00"`, "renewals.ndjson line 2: field userId: does not exist: 2",
		} {
			if strings.Count(string(data), want) != 1 {
				t.Errorf("the report lacks %q:\n%s", want, data)
			}
		}
		if n := strings.Count(string(data), "\n"); n != 6 {
			t.Errorf("the report has %d lines, want 6:\n%s", n, data)
		}
	})
}

// TestUnknownIsNotSkipped tests that an unknown field stops a load that skips bad rows. A load can ignore the field by
// name, only in files that do not know it (F3).
func TestUnknownIsNotSkipped(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	files := joined(good, map[string]string{"sessions.ndjson": rowOf("sessions.ndjson", `"seconds"`, `"name":"x","seconds"`)})
	skip := func(o *load.Options) { o.SkipBad = filepath.Join(t.TempDir(), "bad.txt") }
	if _, err := f.load(files, skip); err == nil || !strings.Contains(err.Error(), "sessions.ndjson line 1: field name: is unknown") {
		t.Errorf("load = %v, want the unknown field", err)
	}
	f.empty("after an unknown field")
	totals, err := f.load(files, func(o *load.Options) { o.Ignore = []string{"name"} })
	if err != nil || totals.File("sessions").Rows != 1 || totals.File("libraries").New != 1 {
		t.Errorf("load = %+v, %v, want the unknown field of sessions ignored, and the names of libraries read", totals, err)
	}
}

// TestCheck tests that a check counts what the next load does, stores no rows, and finds all bad rows (F7).
func TestCheck(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		check := func(o *load.Options) { o.Check = true }
		now := func(o *load.Options) { o.Immediately = true }
		more := joined(good, map[string]string{
			"sessions.ndjson": good["sessions.ndjson"] + "\n" + rowOf("sessions.ndjson", "s1", "s2"),
			"readers.ndjson":  rowOf("readers.ndjson", `"Ana"`, `"Anita"`, `2026-08-01T12`, `2026-08-02T12`),
			"loans.ndjson":    rowOf("loans.ndjson", `"active"`, `"returned","returnedAt":"2026-08-05T10:00:00Z"`),
		})
		for i, files := range []map[string]string{good, more, more} {
			checked, err := f.load(files, check)
			if err != nil || checked.Check == nil || checked.Check.Bad != 0 || (checked.Hour == "") != (i == 0) {
				t.Fatalf("check = %+v, %v, want nothing bad and the hour of the last load", checked, err)
			}
			if i == 0 {
				f.empty("after a check")
			}
			loaded, err := f.load(files, now)
			if err != nil || checked.Version == loaded.Version {
				t.Fatalf("load = %+v, %v, want another version than the check's", loaded, err)
			}
			checked.Hour = loaded.Hour
			if got, want := counted(checked), counted(loaded); got != want {
				t.Errorf("check = %s\nload  = %s, want the same", got, want)
			}
		}
		bad := joined(good, map[string]string{
			"readers.ndjson": good["readers.ndjson"] + "\n" + rowOf("readers.ndjson", `"userId":1`, `"userId":2`, "feminino", "mulher"),
			"loans.ndjson":   rowOf("loans.ndjson", "14:00:00", "15:00:00"),
		})
		checked, err := f.load(bad, check)
		if err != nil || checked.Check.Bad != 2 || checked.File("loans").Bad != 1 || !strings.HasPrefix(checked.Check.Rows[1], "loans.ndjson line 1: field borrowedAt: must not change: ") {
			t.Errorf("check = %+v, %+v, %v, want a bad reader and a bad loan", checked, checked.Check, err)
		}
	})
}
