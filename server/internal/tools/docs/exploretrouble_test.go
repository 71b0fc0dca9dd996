package docs_test

import (
	"bytes"
	"cmp"
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

// between starts a server between the browser and a demo. It passes on every request that answer does not answer.
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

// refuse answers with an error as the API does.
func refuse(w http.ResponseWriter, status int, message string) bool {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"statusCode":%d,"error":%q,"message":%q}`, status, http.StatusText(status), message)
	return true
}

// TestExploreTroubles tests that the page explains each trouble, and that a button resolves it once its cause is gone.
func TestExploreTroubles(t *testing.T) {
	d := startDemo(t)
	for _, tt := range []struct {
		name, says, button string
		answer             func(w http.ResponseWriter, r *http.Request) bool
	}{
		{"network", "Check your connection", "Try again", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }},
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
				t.Errorf("after the button the page says %q, want nothing", said)
			}
		})
	}
}

// TestExploreWrongKey tests that the page asks again for a key that is not accepted, and says if it was accepted before.
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

// TestExploreWaits tests that the page waits while the rate is used up, says so, and goes on, also after a 429.
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
		if n == 4 { // another client of the key has used up the rate
			w.Header().Set("Retry-After", "1")
			return refuse(w, 429, "rate limit exceeded; retry after 1 seconds")
		}
		return false
	})
	b.run(chromedp.Navigate(base + "/explore#key=" + d.schools + "&report=schools"))
	b.eventually(`/^Waiting \d seconds?:/.test(document.getElementById("rate").textContent) && !document.getElementById("stop").hidden`)
	b.settled()
	if early.Load() > 0 {
		t.Errorf("%d requests were made before the minute was over", early.Load())
	}
	if left := evaluate[string](b, `document.getElementById("rate").textContent`); left != "" || asked.Load() < 4 {
		t.Errorf("after %d requests the page says %q, want nothing", asked.Load(), left)
	}
	if len(b.table("schools")) == 0 {
		t.Error("after a 429 the page shows no schools")
	}
}

// large answers like a network of 100,000 users, 620 schools and 5,000 books that were read.
func large(w http.ResponseWriter, r *http.Request) bool {
	q := r.URL.Query()
	page, _ := strconv.Atoi(cmp.Or(q.Get("page"), "1"))
	size, _ := strconv.Atoi(q.Get("pageSize"))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Snapshot", "state")
	if form := r.Header.Get("Accept"); form != "application/json" {
		w.Header().Set("Content-Type", form)
		fmt.Fprintf(w, "page\r\n%d\r\n", page)
		return true
	}
	total := map[string]int{"day": 30, "month": 1, "school": 620, "book": 5000}[q.Get("groupBy")]
	const metrics = `{"users":100000,"activeUsers":99000,"usersWithAccess":80000,"accessDays":%d,"readers":70000,"readingMinutes":1234567.8,"readings":300000,"finished":50000,"distinctBooks":5000}`
	var groups []string
	for i := (page - 1) * size; i < min(page*size, total); i++ {
		key := strconv.Itoa(i + 1)
		if q.Get("groupBy") == "day" {
			key = fmt.Sprintf("2026-09-%02d", i+1)
		}
		groups = append(groups, fmt.Sprintf(`{"key":%q,"label":"Name %s","metrics":`+metrics+`}`, key, key, 1000))
	}
	fmt.Fprintf(w, `{"meta":{"period":{"startDate":%q,"endDate":%q},"page":{"page":%d,"pageSize":%d,"totalRows":%d}},"data":{"general":`+metrics+`,"breakdown":[%s]}}`,
		q.Get("startDate"), q.Get("endDate"), page, size, total, 12000, strings.Join(groups, ","))
	return true
}

// TestExploreLarge tests that a large network opens with few requests. The page says which lists are cut, with their
// totals, and saves long lists page by page.
func TestExploreLarge(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	base := between(t, d, large)
	b.run(chromedp.Navigate(base + "/explore#period=2026-09&key=" + d.schools))
	b.settled()
	b.frugal(d.schools)
	for panel, want := range map[string]string{"books": "The 100 books with the most readers, of 5,000.", "schools": "The first 600 of 620."} {
		if part := b.text(chromedp.CSS("[data-panel=" + panel + "] .part")); part != want {
			t.Errorf("below %s the page says %q, want %q", panel, part, want)
		}
	}
	if visitors := b.tile("came"); visitors != "80,000" {
		t.Errorf("visitors = %s, want 80,000", visitors)
	}
	b.run(do(`[...document.querySelectorAll("[data-panel=schools] button")].find((e) => e.textContent === "Load all 620").click()`))
	b.settled()
	if rows, names := len(b.table("schools")), evaluate[int](b, `document.getElementById("school").length`); rows != 620 || names != 621 {
		t.Errorf("%d schools are shown and %d can be chosen, want 620, and 621 with the choice of all", rows, names)
	}
	folder := b.downloads()
	b.press("readers", "CSV (12 requests)")
	want := "page\r\n"
	for page := range 12 {
		want += fmt.Sprintf("%d\r\n", page+1)
	}
	if got := saved(t, filepath.Join(folder, "lectern-engagements-2026-09-01-2026-09-30.csv")); string(got) != want {
		t.Errorf("twelve pages are saved as %q, want %q", got, want)
	}
	b.press("readers", "XLSX, part 1 of 12")
	b.press("readers", "XLSX, part 2 of 12")
	if got := saved(t, filepath.Join(folder, "lectern-engagements-2026-09-01-2026-09-30-2.xlsx")); string(got) != "page\r\n2\r\n" {
		t.Errorf("the second part is saved as %q", got)
	}
}

// TestExploreStale tests that panels of the earlier choice are greyed out until their own response arrives.
func TestExploreStale(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	var blocking atomic.Bool
	release := make(chan bool)
	base := between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		if blocking.Load() && r.URL.Query().Get("groupBy") == "school" {
			<-release
		}
		return false
	})
	b.explore(base, "schools", d.schools)
	blocking.Store(true)
	b.run(do(`(() => { const p = document.getElementById("period"); p.selectedIndex = 1; p.dispatchEvent(new Event("change")); })()`))
	b.eventually(`document.querySelector("[data-panel=schools]").classList.contains("stale") && !document.querySelector("[data-panel=books]").classList.contains("stale") && !document.querySelector(".tiles").classList.contains("stale")`)
	blocking.Store(false)
	close(release)
	b.settled()
}

// TestExploreByWeek tests that a network with many engagements is shown by week, and by day on request.
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
	if n := len(b.requests()); n > 9 {
		t.Errorf("opening the page makes %d requests, want at most 9", n)
	}
	days := evaluate[int](b, `(new Date(document.getElementById("to").value) - new Date(document.getElementById("from").value)) / 86400000 + 1`)
	loans := sum(b.numbers("lending", 1))
	if weeks := b.table("lending"); len(weeks) != (days+6)/7 || strings.ReplaceAll(b.tile("loans"), ",", "") != strconv.Itoa(loans) {
		t.Errorf("by week = %q, want the weeks of %d days and %s loans", weeks, days, b.tile("loans"))
	}
	if part := b.text("[data-panel=lending] .part"); part != "By week." {
		t.Errorf("the page says %q, want that it shows weeks", part)
	}
	b.run(do(`[...document.querySelectorAll("[data-panel=lending] button")].find((e) => e.textContent === "Show by day").click()`))
	b.settled()
	if byDay := b.numbers("lending", 1); len(byDay) != days || sum(byDay) != loans {
		t.Errorf("by day = %v, want %d days of %d loans", byDay, days, loans)
	}
}

// TestExploreNothing tests that the page says that a network has no data, after few requests.
func TestExploreNothing(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	const zero = `{"users":0,"activeUsers":0,"usersWithAccess":0,"accessDays":0,"readers":0,"readingMinutes":0.0,"readings":0,"finished":0,"distinctBooks":0}`
	base := between(t, d, func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprintf(w, `{"meta":{"page":{"totalRows":0}},"data":{"general":%s,"breakdown":[]}}`, zero)
		return true
	})
	b.run(chromedp.Navigate(base + "/explore#key=" + d.schools))
	b.settled()
	if said := b.text("#alert p"); !strings.Contains(said, "There is no data in this period.") {
		t.Errorf("the page says %q", said)
	}
	if n := len(b.requests()); n > 9 {
		t.Errorf("an empty network takes %d requests, want 9 at most", n)
	}
}

// TestExploreDownloads tests that downloads are the rows as the server writes them, and tables as the page shows them.
// If the server writes something other than XLSX, the page says so.
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
	readings := pull(t, d.url, "schools/v1/readings?"+b.query(), d.schools)
	name := fmt.Sprintf("lectern-readings-%s-%s", readings.Meta.Period.StartDate, readings.Meta.Period.EndDate)

	b.run(click("[data-panel=books] .downloads summary"))
	b.press("books", "CSV")
	want := fetch(t, d.url+"/api-platform/schools/v1/readings?pageSize=1000&"+b.query(), d.schools, "text/csv")
	if got := saved(t, filepath.Join(folder, name+".csv")); !bytes.Equal(got, want) {
		t.Errorf("the rows are saved as %.200s, want %.200s", got, want)
	}
	b.press("books", "Esta tabela em CSV")
	lines := strings.Split(string(saved(t, filepath.Join(folder, strings.Replace(name, "readings", "books", 1)+".csv"))), "\r\n")
	if lines[0] != "\ufeffLivro,Leitores,Minutos,Concluídos" || len(lines) != len(b.table("books"))+2 {
		t.Errorf("the table is saved as %q", lines)
	}
	b.press("readers", "Esta tabela em CSV") // days are written as days
	lines = strings.Split(string(saved(t, filepath.Join(folder, strings.Replace(name, "readings", "readers-by-day", 1)+".csv"))), "\r\n")
	if want := readings.Meta.Period.StartDate + ","; !strings.HasPrefix(lines[1], want) {
		t.Errorf("the days are saved as %q, want them to begin with %q", lines, want)
	}
	b.press("books", "XLSX")
	if said := b.text("#alert p"); said != "Este servidor não gera XLSX aqui. Use CSV." {
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
