package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// between starts a server between the browser and a demo, which answers what answer answers itself, and passes on all else.
func between(t *testing.T, d *demo, answer func(w http.ResponseWriter, r *http.Request) bool) string {
	t.Helper()
	target, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api-platform/") || !answer(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// refuse answers an error as the API does.
func refuse(w http.ResponseWriter, status int, message string) bool {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"statusCode":%d,"error":%q,"message":%q}`, status, http.StatusText(status), message)
	return true
}

// Each trouble has a sentence that says what to do, and most a button that does it.
func TestExploreTroubles(t *testing.T) {
	d := startDemo(t)
	for _, tt := range []struct {
		name, says, button string
		answer             func(w http.ResponseWriter, r *http.Request) bool
	}{
		{"network", "Look at your connection", "Try again", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }},
		{"gone", "no longer kept", "Refresh", func(w http.ResponseWriter, r *http.Request) bool {
			return r.URL.Query().Has("snapshot") && refuse(w, 410, "that snapshot is no longer kept; begin the pull again")
		}},
		{"busy", "too busy", "Try again", func(w http.ResponseWriter, r *http.Request) bool {
			return refuse(w, 503, "the data are not available now; try again later")
		}},
		{"fault", "tell the operator", "Try again", func(w http.ResponseWriter, r *http.Request) bool { return refuse(w, 500, "internal server error") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var healed atomic.Bool
			b, base := openBrowser(t), between(t, d, func(w http.ResponseWriter, r *http.Request) bool { return !healed.Load() && tt.answer(w, r) })
			b.run(chromedp.Navigate(base + "/explore#key=" + d.schools + "&report=schools"))
			if said := b.text("#alert p"); !strings.Contains(said, tt.says) {
				t.Errorf("the page says %q, want %q", said, tt.says)
			}
			healed.Store(true)
			if label := b.text("#alert button"); label != tt.button {
				t.Errorf("the button is %q, want %q", label, tt.button)
			}
			b.run(click("#alert button"))
			b.settled()
			if said := evaluate[string](b, `document.getElementById("alert").textContent`); said != "" {
				t.Errorf("after it the page says %q", said)
			}
		})
	}
}

// A key that is not accepted is asked for again; one that was, and is no more, is told apart.
func TestExploreWrongKey(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(chromedp.Navigate(d.url+"/explore"), enter("#key", "1-1-wrong"+kb.Enter))
	if said := b.text("#alert p"); !strings.Contains(said, "This key is not accepted.") {
		t.Errorf("the page says %q", said)
	}
	b.eventually(`!sessionStorage.length && document.activeElement.id === "key" && document.getElementById("key").value === ""`)

	var ended atomic.Bool
	base := between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		return ended.Load() && refuse(w, 401, "missing or invalid API key")
	})
	b.explore(base, "libraries", d.libraries)
	ended.Store(true)
	b.run(click("#refresh"))
	if said := b.text("#alert p"); !strings.Contains(said, "it has expired or was revoked") {
		t.Errorf("the page says %q", said)
	}
	b.eventually(`!sessionStorage.length && !document.querySelector(".panels")`)
}

// Where the rate is used up the page says so, waits, and goes on, and is never refused.
func TestExploreWaits(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	var asked, early, waited atomic.Int64
	base := between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		n := asked.Add(1)
		if due := waited.Load(); due > 0 && time.Now().UnixMilli() < due {
			early.Add(1)
		}
		if n == 2 { // the last one of its minute, which ends in two seconds
			waited.Store(time.Now().Add(1900 * time.Millisecond).UnixMilli())
			body := fetch(t, d.url+r.URL.String(), d.schools, "application/json")
			for name, value := range map[string]string{"limit": "1000", "remaining": "0", "reset": "2"} {
				w.Header().Set("X-Ratelimit-"+name+"-Public-Default", value)
			}
			w.Write(body)
			return true
		}
		if n == 4 { // and one that another client of the key used up
			w.Header().Set("Retry-After", "1")
			return refuse(w, 429, "rate limit exceeded; retry after 1 seconds")
		}
		return false
	})
	b.run(chromedp.Navigate(base + "/explore#key=" + d.schools + "&report=schools"))
	b.eventually(`/^Waiting \d seconds? /.test(document.getElementById("rate").textContent) && !document.getElementById("stop").hidden`)
	b.settled()
	if early.Load() > 0 {
		t.Errorf("%d requests were made before the minute was over", early.Load())
	}
	if left := b.text("#rate"); !strings.Contains(left, "of 1,000 requests left") {
		t.Errorf("the page says %q, want what is left", left)
	}
	b.run(click("#refresh")) // asks for the fourth
	b.settled()
	if len(b.table("schools")) == 0 {
		t.Error("after a 429 there is nothing")
	}
}

// many answers as a network of many rows: each day of the period 400 users come, who read a minute each.
func many(w http.ResponseWriter, r *http.Request) bool {
	const days, users, perDay, size = 30, 1200, 400, 1000
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	total, one := 0, func(int) string { return "" }
	switch filepath.Base(r.URL.Path) {
	case "engagements":
		total, one = days*perDay, func(i int) string {
			day := time.Date(2026, 10, 1+i/perDay, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			return fmt.Sprintf(`{"date":%q,"userId":%d,"readingMinutes":1.0}`, day, 1+i%perDay)
		}
	case "readings":
		total, one = users*10, func(i int) string {
			return fmt.Sprintf(`{"userId":%d,"book":{"id":%d,"title":"Book %d","author":null,"isbn":null},"percent":60.00,"readingMinutes":1.0,"firstReadAt":"2026-10-01T12:00:00Z","lastReadAt":"2026-10-02T12:00:00Z","finished":true}`, 1+i/10, i%10, i%10)
		}
	case "users":
		total, one = users, func(i int) string {
			return fmt.Sprintf(`{"userId":%d,"name":null,"email":null,"profile":"student","school":{"id":1,"name":"School"},"class":null,"grade":null,"stage":null,"active":true}`, 1+i)
		}
	}
	var rows []string
	for i := (page - 1) * size; i < min(page*size, total); i++ {
		rows = append(rows, one(i))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Snapshot", "state")
	if form := r.Header.Get("Accept"); form != "application/json" {
		w.Header().Set("Content-Type", form)
		fmt.Fprintf(w, "page,rows\r\n%d,%d\r\n", page, len(rows))
		return true
	}
	fmt.Fprintf(w, `{"meta":{"period":{"startDate":"2026-10-01","endDate":"2026-10-30"},"page":{"page":%d,"pageSize":%d,"totalRows":%d}},"data":{"rows":[%s]}}`, page, size, total, strings.Join(rows, ","))
	return true
}

// Of lists that are too long for a first look the page shows a part, says which, and loads the rest when it is asked to.
func TestExploreInParts(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	base := between(t, d, many)
	b.explore(base, "schools", d.schools)
	if n := len(b.requests()); n != 10 {
		t.Errorf("a first look makes %d requests, want 10", n)
	}
	// Of 12 pages of engagements seven are there: page 1, and the last six, of fifteen days, whose oldest one may be cut.
	if more := b.text("#more p"); !strings.Contains(more, "The rest takes 16 requests") {
		t.Errorf("the page says %q, want what the rest takes", more)
	}
	if part := b.text("[data-panel=readers] .part"); !strings.Contains(part, "Oct 17, 2026 to Oct 30, 2026 are shown, the newest 5,600 of 12,000 rows") {
		t.Errorf("the chart of days says %q", part)
	}
	if days := b.numbers("readers", 1); len(days) != 14 || sum(days) != 14*400 {
		t.Errorf("the days shown are %v, want 14 whole ones", days)
	}
	if part := b.text("[data-panel=books] .part"); !strings.Contains(part, "of 12,000 rows") {
		t.Errorf("the books say %q", part)
	}
	b.picture("schools-part-desk-light")
	b.run(click("#more button"))
	b.eventually(`document.getElementById("more").hidden && document.getElementById("report").ariaBusy === "false"`)
	if days, minutes := b.numbers("readers", 1), b.numbers("minutes", 1); sum(days) != 12000 || len(days) != 30 || sum(minutes) != 120000 {
		t.Errorf("all days are %v, %v", days, minutes)
	}
	if finished := b.figure("finished"); finished != "12,000" {
		t.Errorf("finished = %s, want 12,000", finished)
	}
	if parts := evaluate[int](b, `[...document.querySelectorAll(".part")].filter((p) => !p.hidden).length`); parts > 0 {
		t.Errorf("%d panels still say that they show a part", parts)
	}
	if n := len(b.requests()); n != 16 {
		t.Errorf("the rest took %d requests, want 16", n)
	}

	folder := b.downloads()
	b.press("readers", "CSV (12 requests)")
	want := "page,rows\r\n"
	for page := range 12 {
		want += fmt.Sprintf("%d,1000\r\n", page+1)
	}
	if got := saved(t, filepath.Join(folder, "lectern-engagements-2026-10-01-2026-10-30.csv")); string(got) != want {
		t.Errorf("twelve pages are saved as %q, want %q", got, want)
	}
	b.press("readers", "XLSX, part 1 of 12")
	b.press("readers", "XLSX, part 2 of 12")
	if got := saved(t, filepath.Join(folder, "lectern-engagements-2026-10-01-2026-10-30-2.xlsx")); string(got) != "page,rows\r\n2,1000\r\n" {
		t.Errorf("the second part is saved as %q", got)
	}
}

// Of a network with many engagements a first look shows weeks, each by its summary, and then days.
func TestExploreByWeek(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	base := between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		if filepath.Base(r.URL.Path) != "summary" {
			return false
		}
		var answer map[string]any
		if err := json.Unmarshal(fetch(t, d.url+r.URL.String(), d.libraries, "application/json"), &answer); err != nil {
			t.Error(err)
		}
		general := answer["data"].(map[string]any)["general"].(map[string]any)
		general["logins"] = 60_000 // the page must think that it takes sixty pages
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		return json.NewEncoder(w).Encode(answer) == nil
	})
	b.explore(base, "libraries", d.libraries)
	if n := len(b.requests()); n != 10 {
		t.Errorf("a first look makes %d requests, want 10", n)
	}
	loans := sum(b.numbers("lending", 1))
	if weeks := b.table("lending"); len(weeks) != 5 || strings.ReplaceAll(b.figure("loans"), ",", "") != strconv.Itoa(loans) {
		t.Errorf("by week = %q, want five weeks of %s loans", weeks, b.figure("loans"))
	}
	if more := b.text("#more p"); !strings.Contains(more, "By week") || !strings.Contains(more, "takes 31 requests") {
		t.Errorf("the page says %q, want that it shows weeks, and what days take", more)
	}
	b.run(click("#more button"))
	b.eventually(`document.getElementById("more").hidden && document.getElementById("report").ariaBusy === "false"`)
	if days := b.numbers("lending", 1); len(days) != 31 || sum(days) != loans {
		t.Errorf("by day = %v, want 31 days of %d loans", days, loans)
	}
}

// An empty period says so.
func TestExploreNothing(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, `{"meta":{"period":{"startDate":"2026-10-01","endDate":"2026-10-30"},"page":{"page":1,"pageSize":1000,"totalRows":0}},"data":{"rows":[]}}`)
		return true
	}), "schools", d.schools)
	if said := b.text("#alert p"); !strings.Contains(said, "There is nothing in this period.") {
		t.Errorf("the page says %q", said)
	}
	if n := len(b.requests()); n != 3 {
		t.Errorf("an empty period takes %d requests, want 3", n)
	}
}

// Downloads are the rows as the server writes them, and tables as the page shows them. Where the server writes something else than
// XLSX, the page says so.
func TestExploreDownloads(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	var writes atomic.Bool
	base := between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Accept") != sheet || writes.Load() {
			return false
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Write([]byte("{}"))
		return true
	})
	folder := b.downloads()
	b.speak("pt-BR")
	b.explore(base, "schools", d.schools)
	readings := pull(t, d.url, "schools/v1/readings?", d.schools)
	name := fmt.Sprintf("lectern-readings-%s-%s", readings.Meta.Period.StartDate, readings.Meta.Period.EndDate)

	b.run(click("[data-panel=books] .downloads summary"))
	b.press("books", "CSV")
	want := fetch(t, d.url+"/api-platform/schools/v1/readings?pageSize=1000", d.schools, "text/csv")
	if got := saved(t, filepath.Join(folder, name+".csv")); !bytes.Equal(got, want) {
		t.Errorf("the rows are saved as %.200s, want %.200s", got, want)
	}
	b.press("books", "Esta tabela em CSV")
	lines := strings.Split(string(saved(t, filepath.Join(folder, strings.Replace(name, "readings", "books", 1)+".csv"))), "\r\n")
	if lines[0] != `"Livro","Autor","Leitores","Minutos","Concluídos"` || len(lines) != len(b.table("books"))+2 {
		t.Errorf("the table is saved as %q", lines)
	}
	b.press("books", "XLSX")
	if said := b.text("#alert p"); said != "Este servidor não escreve XLSX aqui. Use CSV." {
		t.Errorf("without XLSX the page says %q", said)
	}
	writes.Store(true)
	b.press("books", "XLSX")
	if got := saved(t, filepath.Join(folder, name+".xlsx")); len(got) < 1000 || !bytes.HasPrefix(got, []byte("PK")) {
		t.Errorf("XLSX is saved as %.200q, want a workbook", got)
	}
}

// press presses a button of a panel's downloads.
func (b *browser) press(panel, label string) {
	b.Helper()
	b.run(do(fmt.Sprintf(`[...document.querySelectorAll("[data-panel=%s] .downloads button")].find((e) => e.textContent === %q).click()`, panel, label)))
	b.settled()
}

// saved waits for a file that the browser saves, and returns it.
func saved(t *testing.T, path string) []byte {
	t.Helper()
	for range 500 {
		if b, err := os.ReadFile(path); err == nil && len(b) > 0 {
			return b
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the browser did not save %s", path)
	return nil
}
