package examples_test

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// later is what a second load brings: Ana reads on, Caio moves to another network, and a book has another title.
var later = map[string]string{
	"entities.csv": "referenceId,entityType,name,degree\nrede,network,Rede,F\noutra,network,Outra,F\n",
	"accounts.csv": "referenceId,kind,name,entityReferenceId,active\ncaio,reader,Caio,outra,true\n",
	"books.csv":    "bookId,title,length\n3,Primeiras histórias,300\n",
	"segments.csv": "segmentId,account,bookId,startedAt,durationMs,from,to,wpm\n10,ana,1,2026-03-20T10:00:00-03:00,61000,300,600,200\n",
}

// TestIncremental keeps a copy. After each pull the copy equals what the API answers: after the first pull, with nothing new, after
// loads, and after the server has removed the snapshot that the copy was made of.
func TestIncremental(t *testing.T) {
	url, key := loaded(t)
	now := time.Now().UTC().Add(time.Hour) // of the loads is the system's clock
	clock := func() time.Time { return now }
	s, err := server.New(t.Context(), server.Config{URL: url, SchoolsRate: -1, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	site := httptest.NewServer(s.Handler())
	t.Cleanup(site.Close)
	file := filepath.Join(t.TempDir(), "copy.db")
	pull := func(want string) {
		t.Helper()
		got := program(t, "incremental", "-key", key, "-year", "2026", "-copy", file, "-size", "2", site.URL)
		if string(got) != want {
			t.Errorf("it prints\n%s\nwant\n%s", got, want)
		}
		same(t, file, site.URL, key)
	}
	pull("users 3\nengagements 8\nreadings 9\n")
	pull("users 0\nengagements 0\nreadings 0\n")
	loadFeed(t, url, later)
	pull("users 1\nengagements 4\nreadings 6\n")
	loadFeed(t, url, map[string]string{"books.csv": "bookId,title,length\n3,Primeiras estórias,300\n"})
	pull("users 0\nengagements 0\nreadings 2\n")
	loadFeed(t, url, feed)
	now = now.Add(3 * time.Hour)
	forget(t, url, clock)
	pull("users 3\nengagements 9\nreadings 9\n") // all of it
}

// forget removes what is not kept any more.
func forget(t *testing.T, url string, now func() time.Time) {
	t.Helper()
	db, err := database.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := server.Remover(db, now).Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// same holds that a copy has the rows that the API answers.
func same(t *testing.T, file, base, key string) {
	t.Helper()
	db, err := database.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, list := range []string{"users?", "engagements?startDate=2026-01-01&endDate=2026-12-31", "readings?startDate=2026-01-01&endDate=2026-12-31"} {
		var got []string
		if err := db.NewRaw(`SELECT row FROM copy WHERE list = ?`, list).Scan(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		answer := get(t, base+"/api-platform/schools/v1/"+list+"&pageSize=1000", key, "application/x-ndjson")
		want := strings.Split(strings.TrimSpace(string(answer)), "\n")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the copy of %s has\n%s\nthe API answers\n%s", list, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
