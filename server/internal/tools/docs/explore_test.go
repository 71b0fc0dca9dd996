package docs_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	cdpnetwork "github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// do runs a script in the page.
func do(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](script + "; undefined")
}

// explore opens the page of the numbers with a key, as the demo's links do, and waits for the report.
func (b *browser) explore(base, report, key string) {
	b.Helper()
	b.run(chromedp.Navigate(base + "/explore#key=" + key + "&report=" + report))
	b.settled()
	if left := evaluate[string](b, "location.hash"); left != "" {
		b.Errorf("the address still has %q", left)
	}
}

// settled waits until the page shows a report and does nothing more.
func (b *browser) settled() {
	b.Helper()
	b.eventually(`document.querySelector(".panels") && document.getElementById("report").ariaBusy === "false"`)
}

// eventually waits until an expression is true in the page.
func (b *browser) eventually(expression string) {
	b.Helper()
	// chromedp's own Poll makes functions of texts, which the policy of the page forbids.
	wait := fmt.Sprintf(`new Promise((done, failed) => {
		const end = performance.now() + 30_000;
		const look = () => (%s) ? done(true) : performance.now() > end ? failed(new Error("in vain")) : setTimeout(look, 20);
		look();
	})`, expression)
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise)); err != nil {
		b.must(fmt.Errorf("waiting for %s: %w", expression, err))
	}
}

// table returns the cells of a panel's table.
func (b *browser) table(panel string) [][]string {
	b.Helper()
	return evaluate[[][]string](b, fmt.Sprintf(`[...document.querySelectorAll("[data-panel=%s] tbody tr")].map((tr) => [...tr.cells].map((c) => c.textContent.trim()))`, panel))
}

// numbers are those of one column of a panel's table, in tenths where they have a decimal.
func (b *browser) numbers(panel string, column int) (found []int) {
	b.Helper()
	for _, row := range b.table(panel) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "").Replace(row[column]))
		b.must(err)
		found = append(found, n)
	}
	return found
}

func (b *browser) figure(name string) string {
	b.Helper()
	return b.text(chromedp.CSS("[data-figure=" + name + "]"))
}

// requests are those of the API that the page made since it was asked last.
func (b *browser) requests() (found []*url.URL) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, asked := range b.asked {
		if u, err := url.Parse(asked); err == nil && strings.HasPrefix(u.Path, "/api-platform/") {
			found = append(found, u)
		}
	}
	b.asked = b.asked[:1] // of the page itself
	return found
}

// frugal checks that a first look cost ten requests at most, that all but the first were of its snapshot, and that none shows the key.
func (b *browser) frugal(key string) {
	b.Helper()
	asked := b.requests()
	if len(asked) == 0 || len(asked) > 10 {
		b.Errorf("a first look makes %d requests, want 1 to 10", len(asked))
	}
	snapshots := map[string]int{}
	for _, u := range asked {
		snapshots[u.Query().Get("snapshot")]++
		if strings.Contains(u.String(), key) {
			b.Errorf("the key is in the address %s", u)
		}
	}
	if snapshots[""] != 1 || len(snapshots) != 2 {
		b.Errorf("requests by snapshot: %v, want one without and all others with one", snapshots)
	}
}

// drawn checks that every chart has its first series drawn in the colour of it, and that nothing is wider than the window.
func (b *browser) drawn() {
	b.Helper()
	empty, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`(async () => {
		for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); // a change of light or width is drawn with the next frame
		const pixels = (source, width, height) => {
			const copy = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
			if (source) copy.drawImage(source, 0, 0);
			copy.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--series-1");
			if (!source) copy.fillRect(0, 0, 1, 1);
			return new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
		};
		const [colour] = pixels(null, 1, 1);
		return [...document.querySelectorAll(".chart")].filter((c) => {
			const canvas = c.querySelector("canvas");
			return !canvas || pixels(canvas, canvas.width, canvas.height).filter((p) => p === colour).length < 50;
		}).map((c) => c.closest("[data-panel]").dataset.panel);
	})()`, chromedp.EvalAwaitPromise))
	b.must(err)
	if len(empty) > 0 {
		b.Errorf("nothing is drawn in %q", empty)
	}
	if wide := evaluate[[]string](b, `[...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll, .skip, .spoken") && e.getBoundingClientRect().right > innerWidth + 0.5).map((e) => e.outerHTML.slice(0, 200))`); len(wide) > 0 {
		b.Errorf("wider than the window: %q", wide)
	}
}

// look sets what the page looks like: its width, and whether the browser is dark.
func (b *browser) look(width int64, dark bool) {
	b.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.run(chromedp.EmulateViewport(width, 900))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.must(err)
}

// speak sets the language that the browser asks for.
func (b *browser) speak(language string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, cdpnetwork.SetExtraHTTPHeaders, cdpnetwork.SetExtraHTTPHeadersParams{Headers: cdpnetwork.Headers{"Accept-Language": language}})
	b.must(err)
}

// list pulls a list, or what else a route has in data, as a client does.
type list struct {
	Meta struct {
		Period struct{ StartDate, EndDate string }
		Page   struct{ TotalRows int }
	}
	Data struct{ Rows []row }
}

type row struct {
	Date, Status, Title, LastReadAt string
	UserID, BookID                  int
	ReadingMinutes                  float64
	Finished                        bool
	Book                            struct {
		ID    int
		Title string
	}
	Logins, Loans, Readings10, Readings50 int
}

func (row) tenths(minutes float64) int { return int(minutes*10 + 0.5) }

// axe is the accessibility checker axe-core 4.14.1, as it was published, with its licence beside it.
var axe = sync.OnceValues(func() (string, error) {
	f, err := os.Open(filepath.Join("testdata", "axe-core", "axe.min.js.gz"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(z)
	return string(b), err
})

// get asks the API for JSON.
func get[T any](t *testing.T, base, path, key string) (answer T) {
	t.Helper()
	if err := json.Unmarshal(fetch(t, base+"/api-platform/"+path, key, "application/json"), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// fetch returns a body of the API.
func fetch(t *testing.T, url, key, accept string) []byte {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	r.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("GET %s = %d %s, %v", url, res.StatusCode, body, err)
	}
	return body
}

// pull is the whole of a list.
func pull(t *testing.T, base, path, key string) (all list) {
	t.Helper()
	for page := 1; page == 1 || len(all.Data.Rows) < all.Meta.Page.TotalRows; page++ {
		rows := all.Data.Rows
		all = get[list](t, base, fmt.Sprintf("%s&pageSize=1000&page=%d", path, page), key)
		all.Data.Rows = append(rows, all.Data.Rows...)
	}
	return all
}

// Charts, tables and figures of the schools say what the API says.
func TestExploreSchools(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "schools", d.schools)
	b.frugal(d.schools)
	b.quiet(d.url)

	engagements, readings := pull(t, d.url, "schools/v1/engagements?", d.schools), pull(t, d.url, "schools/v1/readings?", d.schools)
	came, days := map[int]bool{}, map[string][3]int{}
	for _, r := range engagements.Data.Rows {
		day := days[r.Date]
		day[0]++
		if r.ReadingMinutes > 0 {
			day[1]++
		}
		day[2] += r.tenths(r.ReadingMinutes)
		days[r.Date], came[r.UserID] = day, true
	}
	for i, column := range [][]int{b.numbers("readers", 1), b.numbers("readers", 2), b.numbers("minutes", 1)} {
		var want []int
		for day := start(t, engagements); day.Format(time.DateOnly) <= engagements.Meta.Period.EndDate; day = day.AddDate(0, 0, 1) {
			want = append(want, days[day.Format(time.DateOnly)][i])
		}
		if !slices.Equal(column, want) {
			t.Errorf("column %d by day = %v, want %v", i, column, want)
		}
	}
	readers, books, minutes, finished := map[int]bool{}, map[int]int{}, 0, 0
	for _, r := range readings.Data.Rows {
		readers[r.UserID] = true
		books[r.Book.ID]++
		minutes += r.tenths(r.ReadingMinutes)
		if r.Finished {
			finished++
		}
	}
	for name, want := range map[string]int{"came": len(came), "readers": len(readers), "titles": len(books), "finished": finished} {
		if got := b.figure(name); strings.ReplaceAll(got, ",", "") != strconv.Itoa(want) {
			t.Errorf("%s = %s, want %d", name, got, want)
		}
	}
	if got, want := b.numbers("books", 2)[0], slices.Max(slices.Collect(maps.Values(books))); got != want {
		t.Errorf("the most read book has %d readers, want %d", got, want)
	}
	if got := sum(b.numbers("finished", 1)); got != finished {
		t.Errorf("finished by month sum to %d, want %d", got, finished)
	}
	schools := evaluate[string](b, `[...document.querySelectorAll("[data-panel=schools] tr.sum")].map((tr) => tr.cells[2].textContent.replace(/[.,]/g, "")).reduce((a, n) => a + +n, 0) + ""`)
	if schools != strconv.Itoa(minutes) || sum(b.numbers("minutes", 1)) != minutes {
		t.Errorf("tenths of minutes by school = %s, by day = %d, want %d", schools, sum(b.numbers("minutes", 1)), minutes)
	}
}

// choose chooses an option of a list.
func (b *browser) choose(list, value string) {
	b.Helper()
	b.run(do(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event("change")); })()`, list, value)))
	b.settled()
}

// What a person chooses is asked of the API, with a new snapshot.
func TestExploreChoices(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "schools", d.schools)
	b.requests()
	month := evaluate[string](b, `document.querySelectorAll("#period optgroup option")[1].value`)
	b.choose("#period", month)
	b.frugal(d.schools)
	period := fmt.Sprintf("startDate=%s-01&endDate=%s", month, evaluate[string](b, `new Date(Date.UTC(...`+"`"+month+"`"+`.split("-").map(Number), 0)).toISOString().slice(0, 10)`))
	query := ""
	for list, param := range map[string]string{"#profile": "profile", "#school": "schoolId"} {
		value := evaluate[string](b, `document.querySelector("`+list+`").options[1].value`)
		query += "&" + param + "=" + value
		b.choose(list, value)
	}
	want := pull(t, d.url, "schools/v1/engagements?"+period+query, d.schools)
	if got := sum(b.numbers("readers", 1)); got != want.Meta.Page.TotalRows || got == 0 {
		t.Errorf("in %s with %s %d came, want %d", period, query, got, want.Meta.Page.TotalRows)
	}
	b.choose("#period", "dates")
	b.run(do(`document.getElementById("to").value = document.getElementById("from").value`), click("#dates button"))
	b.settled()
	if days := b.table("readers"); len(days) != 1 {
		t.Errorf("one day is shown as %q", days)
	}
	b.quiet(d.url)
}

func start(t *testing.T, l list) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, l.Meta.Period.StartDate)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// Charts, tables and figures of the libraries say what the API says.
func TestExploreLibraries(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "libraries", d.libraries)
	b.frugal(d.libraries)
	b.quiet(d.url)

	type summary struct {
		Meta struct {
			Period struct{ StartDate, EndDate string }
		}
		Data struct {
			General      map[string]int
			Stock        struct{ Histogram []struct{ Count int } }
			DeletedUsers struct{ Monthly []struct{ Total int } }
			Breakdown    []struct{ Metrics map[string]int }
		}
	}
	s := get[summary](t, d.url, "libraries/v1/summary?groupBy=city", d.libraries)
	general := s.Data.General
	for _, name := range []string{"registeredUsers", "usersWithLogin", "loans", "readings10", "readings50"} {
		if got := b.figure(name); strings.ReplaceAll(got, ",", "") != strconv.Itoa(general[name]) {
			t.Errorf("%s = %s, want %d", name, got, general[name])
		}
	}
	period := s.Meta.Period
	engagements := pull(t, d.url, fmt.Sprintf("libraries/v1/engagements?startDate=%s&endDate=%s", period.StartDate, period.EndDate), d.libraries)
	days := map[string][4]int{}
	for _, r := range engagements.Data.Rows {
		day := days[r.Date]
		for i, n := range []int{r.Logins, r.Loans, r.Readings10, r.Readings50} {
			day[i] += n
		}
		days[r.Date] = day
	}
	for i, column := range [][]int{b.numbers("activity", 1), b.numbers("lending", 1), b.numbers("lending", 2), b.numbers("lending", 3)} {
		var want []int
		first, err := time.Parse(time.DateOnly, period.StartDate)
		if err != nil {
			t.Fatal(err)
		}
		for day := first; day.Format(time.DateOnly) <= period.EndDate; day = day.AddDate(0, 0, 1) {
			want = append(want, days[day.Format(time.DateOnly)][i])
		}
		if !slices.Equal(column, want) || sum(column) != general[[]string{"logins", "loans", "readings10", "readings50"}[i]] {
			t.Errorf("column %d by day = %v, want %v", i, column, want)
		}
	}
	if got := b.numbers("funnel", 1); !slices.Equal(got, []int{general["loans"], general["readings10"], general["readings50"]}) {
		t.Errorf("funnel = %v, want %v", got, general)
	}
	var bands, deleted, cities []int
	for _, band := range s.Data.Stock.Histogram {
		bands = append(bands, band.Count)
	}
	for _, m := range s.Data.DeletedUsers.Monthly {
		deleted = append(deleted, m.Total)
	}
	for _, g := range s.Data.Breakdown {
		cities = append(cities, g.Metrics["loans"])
	}
	for panel, want := range map[string][]int{"stock": bands, "deleted": deleted} {
		if got := b.numbers(panel, 1); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", panel, got, want)
		}
	}
	if got := b.numbers("city", 2); !slices.Equal(got, cities) || len(bands) != 12 {
		t.Errorf("loans by city = %v, want %v, and twelve bands: %v", got, cities, bands)
	}
	waiting := pull(t, d.url, "libraries/v1/datasets/reservations?status=waiting&startDate=2026-07-21&endDate="+period.EndDate, d.libraries)
	if got := sum(b.numbers("waiting", 1)); got != waiting.Meta.Page.TotalRows {
		t.Errorf("waiting = %d, want %d", got, waiting.Meta.Page.TotalRows)
	}

	// Titles of another band cost one request, of the same snapshot.
	b.choose("[data-panel=titles] select", "1-10")
	stock := get[list](t, d.url, "libraries/v1/datasets/stock?consumptionBand=1-10", d.libraries)
	if got := b.table("titles"); len(got) != len(stock.Data.Rows) || got[0][0] != stock.Data.Rows[0].Title {
		t.Errorf("titles of a band = %q, want %d, the first %q", got, len(stock.Data.Rows), stock.Data.Rows[0].Title)
	}
	if asked := b.requests(); len(asked) != 1 || asked[0].Query().Get("snapshot") == "" {
		t.Errorf("another band asks for %v", asked)
	}
}

// A person without a mouse pastes a key, chooses a month, walks a chart and opens its table. A pasted key of the libraries is first
// refused by the schools, which the browser logs. The page comes over plain HTTP from another machine, as far as the browser knows.
func TestExploreByKeyboard(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(chromedp.Navigate(strings.Replace(d.url, "127.0.0.1", plainHost, 1)+"/explore"), chromedp.Focus("#key"), chromedp.KeyEvent(d.libraries+kb.Enter))
	b.settled()
	b.eventually(`document.activeElement.id === "period"`)
	if stored := evaluate[string](b, "sessionStorage.lectern + localStorage.length + document.cookie"); !strings.Contains(stored, d.libraries) || !strings.HasSuffix(stored, "0") {
		t.Errorf("the tab keeps %q, want the key in its session alone", stored)
	}
	for range 40 {
		if evaluate[bool](b, `document.activeElement.classList.contains("frame")`) {
			break
		}
		b.run(chromedp.KeyEvent(kb.Tab))
	}
	readout := `document.querySelector("[data-panel=activity] .readout").textContent`
	var seen []string
	for _, key := range []string{kb.Home, kb.ArrowRight, kb.End, kb.ArrowLeft} {
		b.run(chromedp.KeyEvent(key))
		seen = append(seen, evaluate[string](b, readout))
	}
	table := b.table("activity")
	for i, at := range []int{0, 1, len(table) - 1, len(table) - 2} {
		if want := fmt.Sprintf("%s: %s active readers", table[at][0], table[at][1]); seen[i] != want {
			t.Errorf("the chart reads %q, want %q", seen[i], want)
		}
	}
	b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.eventually(`document.querySelector("[data-panel=activity] table").checkVisibility()`)
	if label := evaluate[string](b, `document.querySelector("[data-panel=activity] .frame").ariaLabel`); !strings.Contains(label, "Active readers: at most ") {
		t.Errorf("the chart is read aloud as %q", label)
	}
	b.run(chromedp.Focus("#forget"), chromedp.KeyEvent(kb.Enter))
	b.eventually(`document.activeElement.id === "key" && !document.querySelector(".panels") && !sessionStorage.length`)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) != 1 || !strings.Contains(b.complaints[0], "401") {
		t.Errorf("the page complains of %q, want of the schools' 401 alone", b.complaints)
	}
}

// The page in both sizes and lights is without serious faults for who reads it by other means, draws all its charts, and is no wider
// than its window. With LECTERN_TEST_PICTURES, a folder, its pictures are left there.
func TestExploreLooks(t *testing.T) {
	d := startDemo(t)
	for report, key := range map[string]string{"schools": d.schools, "libraries": d.libraries} {
		for device, width := range map[string]int64{"phone": 360, "desk": 1280} {
			t.Run(report+" "+device, func(t *testing.T) {
				b := openBrowser(t)
				b.speak("pt-BR")
				b.look(width, false)
				b.explore(d.url, report, key)
				for _, dark := range []bool{false, true} {
					b.look(width, dark)
					b.drawn()
					b.accessible()
					b.picture(fmt.Sprintf("%s-%s-%v", report, device, map[bool]string{true: "dark", false: "light"}[dark]))
				}
				b.quiet(d.url)
			})
		}
	}
	t.Run("without a key", func(t *testing.T) {
		b := openBrowser(t)
		b.look(360, true)
		b.run(chromedp.Navigate(d.url + "/explore"))
		b.text("#open")
		b.accessible()
		b.picture("key-phone-dark")
		b.quiet(d.url)
	})
}

// accessible has axe look at the page, with its tables and downloads open.
func (b *browser) accessible() {
	b.Helper()
	script, err := axe()
	b.must(err)
	b.run(do(script), do(`document.querySelectorAll("details").forEach((d) => (d.open = true))`))
	faults, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](
		`axe.run().then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 200)).slice(0, 3)))`, chromedp.EvalAwaitPromise))
	b.must(err)
	for _, f := range faults {
		b.Errorf("axe finds %s", f)
	}
	b.run(do(`document.querySelectorAll("details").forEach((d) => (d.open = false))`))
}

func (b *browser) picture(name string) {
	b.Helper()
	folder := os.Getenv("LECTERN_TEST_PICTURES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	b.must(err)
	b.must(os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644))
}

// downloads lets the browser save files, and returns the folder.
func (b *browser) downloads() string {
	b.Helper()
	folder := b.TempDir()
	_, err := chromedp.CallBrowser(b.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
	b.must(err)
	return folder
}
