package schools_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// good is a feed with one row in each file. The tests add a bad one.
var good = map[string]string{
	"entities.ndjson": `{"referenceId":"rede","entityType":"network","name":"Rede","degree":"F"}`,
	"accounts.ndjson": `{"referenceId":"ana","kind":"reader","name":"Ana","entityReferenceId":"rede","active":true}`,
	"books.ndjson":    `{"bookId":1,"title":"Iracema","length":100}`,
	"segments.ndjson": `{"segmentId":"s1","account":"ana","bookId":1,"startedAt":"2026-03-01T12:00:00Z","durationMs":60000,"from":0,"to":50,"wpm":90}`,
	"accesses.ndjson": `{"accessId":1,"account":"ana","at":"2026-03-02T09:00:00-03:00","kind":"login"}`,
	"evaluations.csv": "evaluationId,entityReferenceId,title,appliedAt\n1,rede,Prova,2026-03-01T12:00:00Z",
}

// fixture is an empty partner.
type fixture struct {
	t       *testing.T
	db      *database.DB
	store   *schoolsdb.Store
	partner directory.PartnerID
	ref     directory.Ref
}

func newFixture(t *testing.T, db *database.DB) *fixture { return newPartner(t, db, "acme") }

func newPartner(t *testing.T, db *database.DB, ref directory.Ref) *fixture {
	t.Helper()
	id, err := directorydb.CreatePartner(t.Context(), db, ref, "Acme")
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t, db, &schoolsdb.Store{DB: db.DB, Copy: db.Copy}, id, ref}
}

// load writes the files and loads them.
func (f *fixture) load(files map[string]string, change func(*load.Options)) (*feed.Totals, error) {
	f.t.Helper()
	dir := f.t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	o := load.Options{
		TempDir: f.t.TempDir(),
		Now:     func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
	}
	if change != nil {
		change(&o)
	}
	return load.Schools(f.t.Context(), f.store, f.partner, f.ref, os.DirFS(dir), o)
}

// empty checks that the partner has no data and that no version was raised.
func (f *fixture) empty() {
	f.t.Helper()
	for _, table := range []string{"entities", "accounts", "evaluations", "schools_books", "blocks"} {
		if n, err := f.db.NewSelect().Table(table).Where("tenant_id = ?", f.partner).Count(f.t.Context()); n != 0 || err != nil {
			f.t.Errorf("%s has %d rows (%v) after a failed load, want none", table, n, err)
		}
	}
	v, err := snapshotdb.ReadCurrent(f.t.Context(), f.db, auth.Tenant(f.partner))
	if err != nil || v != (snapshotdb.Current{}) {
		f.t.Errorf("versions after a failed load = %+v, %v, want zeros", v, err)
	}
}

// with returns the good feed with one file replaced.
func with(name, text string) map[string]string {
	files := map[string]string{}
	resource, _, _ := strings.Cut(name, ".")
	for n, t := range good {
		if r, _, _ := strings.Cut(n, "."); r != resource {
			files[n] = t
		}
	}
	files[name] = text
	return files
}

// and returns the good feed with a line added to a file.
func and(name, line string) map[string]string { return with(name, good[name]+"\n"+line) }

func segment(change, to string) string {
	return strings.Replace(strings.Replace(good["segments.ndjson"], `"s1"`, `"s2"`, 1), change, to, 1)
}

// badFeeds returns bad feeds, each with a part of the expected error.
func badFeeds() map[string]struct {
	files map[string]string
	want  string
} {
	type bad = struct {
		files map[string]string
		want  string
	}
	gz := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	zipped := gz(strings.Repeat(good["segments.ndjson"]+"\n", 1000))
	return map[string]bad{
		"not JSON":               {and("segments.ndjson", "nonsense"), "segments.ndjson line 2"},
		"JSON that is no object": {and("segments.ndjson", "[1]"), "segments.ndjson line 2"},
		"cut short":              {and("segments.ndjson", `{"segmentId":"s2","acc`), "segments.ndjson line 2"},
		"wrong type":             {and("segments.ndjson", segment(`60000`, `"60000"`)), "segments.ndjson line 2: field durationMs: must be an integer"},
		"NaN":                    {and("segments.ndjson", segment(`"wpm":90`, `"wpm":NaN`)), "segments.ndjson line 2"},
		"NaN in CSV":             {with("segments.csv", "segmentId,account,bookId,startedAt,durationMs,from,to,wpm\ns1,ana,1,2026-03-01T12:00:00Z,1,0,1,NaN\n"), "segments.csv line 2: field wpm"},
		"negative speed":         {and("segments.ndjson", segment(`"wpm":90`, `"wpm":-0.5`)), "segments.ndjson line 2: field wpm"},
		"negative position":      {and("segments.ndjson", segment(`"from":0`, `"from":-1`)), "segments.ndjson line 2: field from: must not be negative"},
		"from above to":          {and("segments.ndjson", segment(`"from":0`, `"from":51`)), "segments.ndjson line 2: field from: must not be above to"},
		"longer than a day":      {and("segments.ndjson", segment(`60000`, `86400001`)), "segments.ndjson line 2: field durationMs: must not be above one day"},
		"unknown account":        {and("segments.ndjson", segment(`"ana"`, `"bia"`)), "segments.ndjson line 2: field account: does not exist"},
		"unknown book":           {and("segments.ndjson", segment(`"bookId":1`, `"bookId":2`)), "segments.ndjson line 2: field bookId: does not exist"},
		"no such day":            {and("segments.ndjson", segment(`2026-03-01`, `2026-02-30`)), "segments.ndjson line 2: field startedAt"},
		"no offset":              {and("segments.ndjson", segment(`12:00:00Z`, `12:00:00`)), "segments.ndjson line 2: field startedAt"},
		"after the load":         {and("segments.ndjson", segment(`2026-03-01T12:00:00Z`, `2026-03-10T12:05:01Z`)), "segments.ndjson line 2: field startedAt: must not be more than 5 minutes after the load began"},
		"access after the load":  {and("accesses.ndjson", `{"accessId":2,"account":"ana","at":"2026-03-10T12:05:01Z","kind":"login"}`), "accesses.ndjson line 2: field at: must not be more than 5 minutes after the load began"},
		"from without to":        {and("segments.ndjson", segment(`"to":50,`, ``)), "segments.ndjson line 2: field to: must come together with from, or neither of them"},
		"to without from":        {and("segments.ndjson", segment(`"from":0,`, ``)), "segments.ndjson line 2: field from: must come together with to, or neither of them"},
		"null from":              {and("segments.ndjson", segment(`"from":0,`, `"from":null,`)), "segments.ndjson line 2: field from: must come together with to"},
		"to without from, CSV":   {with("segments.csv", "segmentId,account,bookId,startedAt,durationMs,from,to\ns1,ana,1,2026-03-01T12:00:00Z,1,,1\n"), "segments.csv line 2: field from: must come together with to"},
		"negative duration":      {and("segments.ndjson", segment(`60000`, `-1`)), "segments.ndjson line 2: field durationMs: must not be negative"},
		"negative to":            {and("segments.ndjson", segment(`"to":50`, `"to":-1`)), "segments.ndjson line 2: field to: must not be negative"},
		"unknown member":         {and("segments.ndjson", segment(`"wpm":90`, `"speed":90`)), "segments.ndjson line 2: field speed: is unknown; the fields are segmentId, account, bookId, startedAt, durationMs, from, to, wpm"},
		"unknown column":         {with("books.csv", "bookId,titel,length\n1,Iracema,100\n"), "books.csv line 1: field titel: is unknown; write title"},
		"type of an entity":      {and("entities.ndjson", `{"referenceId":"rede","entityType":"school","name":"Rede","degree":"F","parentReferenceId":"rede"}`), "entities.ndjson line 2: field entityType: can't be changed"},
		"entity type unknown":    {and("entities.ndjson", `{"referenceId":"e","entityType":"city","name":"E","degree":"F"}`), "entities.ndjson line 2: field entityType: must be one of network, school, class"},
		"kind unknown":           {and("accounts.ndjson", `{"referenceId":"b","kind":"student","entityReferenceId":"rede"}`), "accounts.ndjson line 2: field kind: must be one of reader, teacher, administrator, internal"},
		"active of a text":       {and("accounts.ndjson", `{"referenceId":"b","kind":"reader","entityReferenceId":"rede","active":"yes"}`), "accounts.ndjson line 2: field active: must be true or false"},
		"number too large":       {and("segments.ndjson", segment(`"to":50`, `"to":9007199254740992`)), "segments.ndjson line 2: field to: must be from 0 to 9007199254740991"},
		"missing field":          {and("segments.ndjson", segment(`"bookId":1,`, ``)), "segments.ndjson line 2: field bookId: is required"},
		"identifier too long":    {and("segments.ndjson", segment(`"s2"`, `"`+strings.Repeat("x", 65)+`"`)), "segments.ndjson line 2: field segmentId"},
		"duplicate member":       {and("segments.ndjson", segment(`"wpm":90`, `"wpm":90,"wpm":91`)), "segments.ndjson line 2"},
		"invalid UTF-8":          {and("accounts.ndjson", "{\"referenceId\":\"b\xff\",\"kind\":\"reader\",\"entityReferenceId\":\"rede\"}"), "accounts.ndjson line 2"},
		"a line too long":        {and("segments.ndjson", segment(`"s2"`, `"`+strings.Repeat("x", 2<<20)+`"`)), "segments.ndjson line 2"},
		"two files":              {map[string]string{"books.ndjson": good["books.ndjson"], "books.csv": "bookId,length\n1,5\n"}, "books.csv"},
		"no file":                {map[string]string{"notes.txt": "nothing"}, "has none of the files entities, accounts"},
		"column in upper case":   {with("accounts.csv", "referenceId,kind,entityReferenceId,Active\nana,reader,rede,false\n"), "accounts.csv line 1: field Active: is unknown; write active"},
		"member in upper case":   {and("segments.ndjson", segment(`"wpm":90`, `"WPM":90`)), "segments.ndjson line 2: field WPM: is unknown; write wpm"},
		"a bad row of a key":     {with("books.ndjson", `{"bookId":1,"length":0}`+"\n"+good["books.ndjson"]), "books.ndjson line 1: field length"},
		"misspelt file":          {map[string]string{"segment.ndjson": good["segments.ndjson"]}, "segment.ndjson"},
		"truncated gzip":         {with("segments.ndjson.gz", zipped[:len(zipped)-20]), "truncated or damaged"},
		"CSV without a column":   {with("books.csv", "bookId,title\n1,a\n"), "length"},
		"unknown access":         {and("accesses.ndjson", `{"accessId":2,"account":"ana","at":"2026-03-02T09:00:00Z","kind":"Login"}`), "accesses.ndjson line 2: field kind"},
		"length of 0":            {and("books.ndjson", `{"bookId":2,"length":0}`), "books.ndjson line 2: field length: must be a positive integer"},
		"entity without parent":  {and("entities.ndjson", `{"referenceId":"e","entityType":"school","name":"E","degree":"F"}`), "entities.ndjson line 2: field parentReferenceId: is required"},
		"unknown entity":         {with("evaluations.csv", "evaluationId,entityReferenceId\n1,x\n"), "evaluations.csv line 2: field entityReferenceId: does not exist"},
	}
}

// TestBadFeedsLeaveNothing tests that an error names the place and the reason, and that nothing is loaded (F2, F3).
func TestBadFeedsLeaveNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		for name, bad := range badFeeds() {
			f.t = t
			if _, err := f.load(bad.files, nil); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%s: load = %v, want it to say %q", name, err, bad.want)
			}
			f.empty()
		}
	})
}

// TestSkipBad tests that a load can skip bad rows and list them.
func TestSkipBad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		report := filepath.Join(t.TempDir(), "bad.txt")
		files := map[string]string{}
		for name, text := range good {
			files[name] = text
		}
		files["segments.ndjson"] += "\nnonsense\n" + segment(`"from":0`, `"from":51`) + "\n" + segment(`2026-03-01`, `2025-12-31`)
		files["accounts.ndjson"] += "\n" + `{"referenceId":"bia","kind":"reader","entityReferenceId":"nowhere"}`
		files["accesses.ndjson"] += "\n" + `{"accessId":2,"account":"bia","at":"2026-03-02T09:00:00Z","kind":"login"}`
		totals, err := f.load(files, func(o *load.Options) { o.SkipBad = report })
		if err != nil {
			t.Fatal(err)
		}
		if got, want := *totals.File("segments"), (row.Counts{Rows: 4, BeforeHistory: 1, Bad: 2}); got != want {
			t.Errorf("segments = %+v, want %+v", got, want)
		}
		if totals.New != 2 || totals.File("accounts").Bad != 1 || totals.File("accesses").Bad != 1 {
			t.Errorf("totals = %+v, want 2 new events, a bad account and a bad access", totals)
		}
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			`accesses.ndjson line 2: field account: does not exist: "bia"`,
			`accounts.ndjson line 2: field entityReferenceId: does not exist: "nowhere"`,
			`segments.ndjson line 2: is not JSON: invalid character 'o' in literal null (expecting 'u') after 1 bytes: "nonsense"`,
			`segments.ndjson line 3: field from: must not be above to: 51`,
		}
		if got := strings.Split(strings.TrimSpace(string(data)), "\n"); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("the report is %q, want %q", got, want)
		}
	})
}

// TestUnknownIsNotSkipped tests that an unknown field stops a load that skips bad rows, and a check. A load can ignore
// the field by name, and still reads it in files that know it (F3).
func TestUnknownIsNotSkipped(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	files := with("books.ndjson", strings.Replace(good["books.ndjson"], `"length"`, `"wpm":3,"length"`, 1))
	for name, change := range map[string]func(*load.Options){
		"skipping": func(o *load.Options) { o.SkipBad = filepath.Join(t.TempDir(), "bad.txt") },
		"a check":  func(o *load.Options) { o.Check = true },
		"ignoring": func(o *load.Options) { o.Ignore = []string{"length", "WPM"} },
	} {
		if _, err := f.load(files, change); err == nil || !strings.Contains(err.Error(), "books.ndjson line 1: field wpm: is unknown") {
			t.Errorf("%s: load = %v, want the unknown field", name, err)
		}
	}
	f.empty()
	if _, err := f.load(files, func(o *load.Options) { o.Ignore = []string{"wpm"} }); err != nil {
		t.Fatal(err)
	}
	m, err := f.minutes(period())
	if err != nil || m[period().Start] != 10 {
		t.Errorf("minutes = %v, %v, want 1.0 on the first day: the segments' own wpm is read", m, err)
	}
}

// TestGoodEdges tests that a load accepts values just within the bounds that badFeeds exceeds.
func TestGoodEdges(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	line := func(id, change, to string) string {
		return strings.Replace(strings.Replace(good["segments.ndjson"], `"s1"`, `"`+id+`"`, 1), change, to, 1)
	}
	zeros := "." + strings.Repeat("0", 120)
	totals, err := f.load(with("segments.ndjson", strings.Join([]string{
		line("a", `60000`, `86400000`), line("b", `60000`, `0`), line("c", `60000`, `60000`+zeros), line("d", `"wpm":90`, `"wpm":90`+zeros),
		line("e", `"from":0,"to":50,`, ``), line("f", `"from":0,"to":50`, `"from":null,"to":null`), line("g", `"from":0`, `"from":50`),
		line("h", `"to":50`, `"to":9007199254740991`), line("i", `2026-03-01T12:00:00Z`, `2026-03-10T12:05:00Z`),
		line(strings.Repeat("é", 64), `"wpm":90`, `"wpm":null`),
	}, "\n")), nil)
	if want := (row.Counts{Rows: 10}); err != nil || *totals.File("segments") != want || totals.New != 11 {
		t.Errorf("load = %+v, %v, want 10 segments and an access", totals, err)
	}
}

// TestCheck tests that a check counts what the next load does, and stores no rows, also while another writer has the lock (F7).
func TestCheck(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		check := func(o *load.Options) { o.Check = true }
		whole, late := and("segments.ndjson", segment("2026-03-01", "2026-03-02")), 0
		for _, files := range []map[string]string{good, whole, whole} {
			checked, err := f.load(files, check)
			if err != nil || checked.Check == nil || checked.Check.Bad != 0 {
				t.Fatalf("check = %+v, %v, want nothing bad", checked, err)
			}
			if late == 0 {
				f.empty()
			}
			loaded, err := f.load(files, nil)
			if err != nil {
				t.Fatal(err)
			}
			if late < 2 && checked.Version == loaded.Version {
				t.Errorf("version of the check = %s, want another than that of the load", checked.Version)
			}
			checked.Check, checked.Version, checked.Seconds, checked.RowsPerSecond = nil, loaded.Version, loaded.Seconds, loaded.RowsPerSecond
			if !reflect.DeepEqual(checked, loaded) {
				t.Errorf("check = %+v\nload  = %+v, want the same", checked, loaded)
			}
			late++
		}
		locked, release := make(chan struct{}), make(chan struct{})
		writer := make(chan error, 1)
		go func() {
			writer <- db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
				_, err := snapshotdb.Lock(ctx, tx, auth.Tenant(f.partner))
				close(locked)
				<-release
				return err
			})
		}()
		<-locked
		_, err := f.load(good, check)
		close(release)
		if werr := <-writer; err != nil || werr != nil {
			t.Errorf("check during another write = %v, %v, want no error", err, werr)
		}
	})
}

// TestWaitsForItsTurn tests that a load waits while another load of the partner is under way, and says so.
func TestWaitsForItsTurn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		other, err := f.store.Snapshots().Begin(t.Context(), auth.Tenant(f.partner), nil)
		if err != nil {
			t.Fatal(err)
		}
		var stages []string
		totals, err := f.load(good, func(o *load.Options) {
			o.Progress = func(stage string, done, total int64) {
				if len(stages) == 0 || stages[len(stages)-1] != stage {
					stages = append(stages, stage)
				}
				if stage == "wait" {
					if err := other.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
		if err != nil || totals.New != 2 {
			t.Errorf("load = %+v, %v, want it to continue after the wait", totals, err)
		}
		if want := []string{"wait", "read", "aggregate"}; !slices.Equal(stages, want) {
			t.Errorf("stages = %q, want %q", stages, want)
		}
	})
}

// TestCheckFindsAll tests that a check lists the first bad rows and counts all.
func TestCheckFindsAll(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	rows := []string{good["accounts.ndjson"]}
	for i := range feed.MaxFindings + 20 {
		rows = append(rows, fmt.Sprintf(`{"referenceId":"b%d","kind":"reader","entityReferenceId":"nowhere"}`, i))
	}
	files := with("accounts.ndjson", strings.Join(rows, "\n"))
	files["segments.ndjson"] += "\n" + segment(`60000`, `-1`)
	totals, err := f.load(files, func(o *load.Options) { o.Check = true })
	if err != nil || totals.Check == nil || totals.Check.Bad != feed.MaxFindings+21 || len(totals.Check.Rows) != feed.MaxFindings || totals.File("accounts").Bad != feed.MaxFindings+20 {
		t.Fatalf("check = %+v, %v, want 121 bad rows, of which 100 are listed", totals, err)
	}
	if got, want := totals.Check.Rows[0], `accounts.ndjson line 2: field entityReferenceId: does not exist: "nowhere"`; got != want {
		t.Errorf("first finding = %q, want %q", got, want)
	}
	f.empty()
}

// TestReportInsideTheFeed tests that a load refuses a report that the next load would take for part of the feed.
func TestReportInsideTheFeed(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "books.ndjson"), []byte(good["books.ndjson"]), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := load.Schools(t.Context(), f.store, f.partner, "acme", os.DirFS(dir), load.Options{SkipBad: filepath.Join(dir, "books.rejected")})
	if err == nil || !strings.Contains(err.Error(), "lies in the feed's own folder") {
		t.Errorf("load = %v, want the report's path to be refused", err)
	}
}

// TestNothingNew tests that loading a feed again raises no version, which would drop cached responses. Book 0 and a
// history from before 1970 are valid.
func TestNothingNew(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		files := map[string]string{}
		for name, text := range good {
			files[name] = strings.ReplaceAll(text, `"bookId":1`, `"bookId":0`)
		}
		files["segments.ndjson"] += "\n" + strings.Replace(files["segments.ndjson"], "2026-03-01", "1965-03-01", 1)
		old := calendar.MustParse("1960-01-01")
		var first snapshot.Versions
		for i := range 2 {
			if _, err := f.load(files, func(o *load.Options) { o.History = &old }); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = versions(t, f)
			}
			if v := versions(t, f); v != first {
				t.Errorf("versions = %+v, want those of one load: %+v", v, first)
			}
		}
		reports := &report.Reports{Store: f.store}
		access := report.Access{Partner: f.partner, Network: 1, At: versions(t, f)}
		whole, page := calendar.Period{Start: old, End: period().End}, paging.Page{Number: 1, Size: 10}
		r, err := reports.Readings(t.Context(), access, whole, report.Filter{}, page)
		if err != nil || len(r.Rows) != 1 || r.Rows[0].Book.ID != 0 || r.Rows[0].Minutes != 20 {
			t.Errorf("readings = %+v, %v, want 2.0 minutes of book 0", r, err)
		}
		e, err := reports.Engagements(t.Context(), access, whole, report.Filter{}, page)
		if err != nil || len(e.Rows) != 3 || e.Rows[0].Date != calendar.MustParse("1965-03-01") || e.Rows[0].Minutes != 10 {
			t.Errorf("engagements = %+v, %v, want three days from 1965 on", e, err)
		}
	})
}

// TestFirstLineWins tests that the first line with an identifier counts (F1), though several goroutines parse, spill
// and aggregate the lines. Lines of earlier loads come before all others.
func TestFirstLineWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		const lines = 20_000
		var segments strings.Builder
		for i := range lines { // 50 days with 40 identifiers each, repeated; the first line of each lasts a minute
			ms := 120_000
			if i < 50*40 {
				ms = 60_000
			}
			day := calendar.MustParse("2026-01-01") + calendar.Date(i%50)
			fmt.Fprintf(&segments, `{"segmentId":"s%d","account":"ana","bookId":1,"startedAt":"%sT12:00:00-03:00","durationMs":%d}`+"\n", i/50%40, day, ms)
		}
		files := with("segments.ndjson", segments.String())
		for _, want := range []struct{ news, again int }{{50*40 + 1, lines - 50*40}, {0, lines + 1}} {
			totals, err := f.load(files, func(o *load.Options) { o.MemoryLimit = 4096 })
			if err != nil || totals.New != want.news || totals.Repeated != want.again {
				t.Fatalf("load = %+v, %v, want %+v", totals, err, want)
			}
			files["segments.ndjson"] = strings.ReplaceAll(files["segments.ndjson"], "60000", "30000")
		}
		p := calendar.Period{Start: calendar.MustParse("2026-01-01"), End: calendar.MustParse("2026-02-19")}
		m, err := f.minutes(p)
		if err != nil || len(m) != 50 {
			t.Fatalf("minutes of %d days, %v, want 50", len(m), err)
		}
		for day, minutes := range m {
			if got := minutes; got != 400 {
				t.Errorf("%s has %d tenths of a minute, want 40 minutes", day, got)
			}
		}
	})
}

// TestLoadLeavesNoFiles tests that a load removes its spill files from the temporary folder, also if it fails.
func TestLoadLeavesNoFiles(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	for _, files := range []map[string]string{good, and("segments.ndjson", "nonsense")} {
		temp := t.TempDir()
		_, err := f.load(files, func(o *load.Options) { o.TempDir, o.MemoryLimit = temp, 1 })
		left, rerr := os.ReadDir(temp)
		if rerr != nil || len(left) != 0 {
			t.Errorf("after a load (%v): %v left in the temporary folder (%v)", err, left, rerr)
		}
	}
}

// TestLoadsAtOnce tests that concurrent loads of a partner all succeed, and that the data of all are there at the end.
func TestLoadsAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		if _, err := f.load(good, nil); err != nil {
			t.Fatal(err)
		}
		const loads = 4
		done := make(chan error, loads)
		for i := range loads {
			files := map[string]string{"segments.ndjson": strings.Replace(good["segments.ndjson"], `"s1"`, fmt.Sprintf(`"at-once-%d"`, i), 1)}
			go func() {
				_, err := f.load(files, nil)
				done <- err
			}()
		}
		for range loads {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		totals, err := f.load(good, nil)
		same := row.Counts{Rows: 1, Unchanged: 1}
		if err != nil || totals.New != 0 || totals.Repeated != 2 || *totals.File("entities") != same || *totals.File("accounts") != same || *totals.File("books") != same || *totals.File("evaluations") != same {
			t.Errorf("the first feed again = %+v, %v", totals, err)
		}
		m, err := f.minutes(period())
		if err != nil || len(m) != 2 || m[period().Start] != 10*(1+loads) {
			t.Errorf("minutes = %v, %v, want %d tenths on the first day", m, err, 10*(1+loads))
		}
	})
}
