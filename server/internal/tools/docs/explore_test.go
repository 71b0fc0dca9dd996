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

// explore opens the page of the numbers with a key, as the demo's links do, and waits for the report. The period is the
// last 30 days, which have data on any day of the year.
func (b *browser) explore(base, report, key string) {
	b.Helper()
	b.run(chromedp.Navigate(base + "/explore#key=" + key + "&period=last30"))
	b.settled()
	if hash := evaluate[string](b, "location.hash"); hash != "#report="+report+"&period=last30" {
		b.Errorf("the fragment is %q, want the view without the key", hash)
	}
}

// settled waits until the page shows a whole report and is idle.
func (b *browser) settled() {
	b.Helper()
	b.eventually(`document.querySelector(".panels") && document.getElementById("report").dataset.view === location.hash && document.getElementById("report").ariaBusy === "false" &&
		![...document.querySelectorAll(".stale")].some((e) => e.checkVisibility())`)
}

// eventually waits until an expression is true in the page.
func (b *browser) eventually(expression string) {
	b.Helper()
	// chromedp's own Poll turns texts into functions, which the page's policy forbids.
	wait := fmt.Sprintf(`new Promise((done, failed) => {
		const end = performance.now() + 30_000;
		const look = () => (%s) ? done(true) : performance.now() > end ? failed(new Error("in vain")) : setTimeout(look, 20);
		look();
	})`, expression)
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise)); err != nil {
		b.must(fmt.Errorf("waiting for %s: %w", expression, err))
	}
}

// table unfolds a panel's table and returns all its cells.
func (b *browser) table(panel string) [][]string {
	b.Helper()
	b.run(do(fmt.Sprintf(`document.querySelectorAll("[data-panel=%s] .foot button:not([hidden])").forEach((e) => e.click())`, panel)))
	return b.cells(panel)
}

// cells returns the cells that a panel's table shows.
func (b *browser) cells(panel string) [][]string {
	b.Helper()
	return evaluate[[][]string](b, fmt.Sprintf(`[...document.querySelectorAll("[data-panel=%s] tbody tr")].map((tr) => [...tr.cells].map((c) => c.textContent.trim()))`, panel))
}

// numbers returns the numbers in a column of a panel's table, in tenths if they have a decimal.
func (b *browser) numbers(panel string, column int) (found []int) {
	b.Helper()
	for _, row := range b.table(panel) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "").Replace(row[column]))
		b.must(err)
		found = append(found, n)
	}
	return found
}

func (b *browser) tile(name string) string {
	b.Helper()
	return b.text(chromedp.CSS("[data-figure=" + name + "]"))
}

// requests returns the requests of the page to the API since the last call.
func (b *browser) requests() (found []*url.URL) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, asked := range b.asked {
		if u, err := url.Parse(asked); err == nil && strings.HasPrefix(u.Path, "/api-platform/") {
			found = append(found, u)
		}
	}
	b.asked = b.asked[:1] // the page itself
	return found
}

// frugal checks that opening took at most nine API requests, all but one with the same snapshot. No address may show
// the key.
func (b *browser) frugal(key string) {
	b.Helper()
	asked := b.requests()
	if len(asked) == 0 || len(asked) > 9 {
		b.Errorf("opening the page makes %d requests, want 1 to 9", len(asked))
	}
	snapshots := map[string]int{}
	for _, u := range asked {
		snapshots[u.Query().Get("snapshot")]++
		if strings.Contains(u.String(), key) {
			b.Errorf("the key is in the address %s", u)
		}
	}
	if snapshots[""] != 1 || len(snapshots) != 2 {
		b.Errorf("requests by snapshot: %v, want one without a snapshot and the others with the same one", snapshots)
	}
}

// drawn checks that every chart draws its first series in the right colour, and that nothing is wider than the window.
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
		return [...document.querySelectorAll(".chart")].filter((c) => c.checkVisibility()).filter((c) => {
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

// emulate sets the width of the window, and whether the browser prefers dark.
func (b *browser) emulate(width int64, dark bool) {
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

// list is what the tests read of a response: a list, or the data of another route.
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
	ActiveReservations              int
	ReadingMinutes                  float64
	Finished                        bool
	Book                            struct {
		ID    int
		Title string
	}
	Logins, Loans, Readings10, Readings50 int
	Active                                bool
	Class                                 *struct{ ID int }
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

// pull returns all rows of a list.
func pull(t *testing.T, base, path, key string) (all list) {
	t.Helper()
	for page := 1; page == 1 || len(all.Data.Rows) < all.Meta.Page.TotalRows; page++ {
		rows := all.Data.Rows
		all = get[list](t, base, fmt.Sprintf("%s&pageSize=1000&page=%d", path, page), key)
		all.Data.Rows = append(rows, all.Data.Rows...)
	}
	return all
}

// query returns the period of the view as parameters of the API.
func (b *browser) query() string {
	b.Helper()
	return evaluate[string](b, `"startDate=" + document.getElementById("from").value + "&endDate=" + document.getElementById("to").value`)
}

// TestExploreOpening tests that the page opens on the last month with data, with the network's name and no key in its address.
func TestExploreOpening(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(chromedp.Navigate(d.url + "/explore#key=" + d.schools + "&report=schools"))
	b.settled()
	b.frugal(d.schools)
	b.quiet(d.url)
	if heading := b.text("h1"); heading != "Rede MG" {
		t.Errorf("the heading is %q, want the name of the network", heading)
	}
	last := ""
	for _, r := range pull(t, d.url, "schools/v1/engagements?startDate="+time.Now().AddDate(0, -2, 0).Format(time.DateOnly), d.schools).Data.Rows {
		last = max(last, r.Date[:len("2006-01")])
	}
	if hash := evaluate[string](b, "location.hash"); hash != "#report=schools&period="+last {
		t.Errorf("the fragment is %q, want the month %s", hash, last)
	}
}

// TestExploreSchools tests that tables and numbers of the schools are what the lists of the API add up to.
func TestExploreSchools(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "schools", d.schools)
	b.frugal(d.schools)
	b.quiet(d.url)

	engagements, readings := pull(t, d.url, "schools/v1/engagements?"+b.query(), d.schools), pull(t, d.url, "schools/v1/readings?"+b.query(), d.schools)
	visitors, days := map[int]bool{}, map[string][3]int{}
	for _, r := range engagements.Data.Rows {
		day := days[r.Date]
		day[0]++
		if r.ReadingMinutes > 0 {
			day[1]++
		}
		day[2] += r.tenths(r.ReadingMinutes)
		days[r.Date], visitors[r.UserID] = day, true
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
	for name, want := range map[string]int{"came": len(visitors), "readers": len(readers), "titles": len(books), "finished": finished} {
		if got := b.tile(name); strings.ReplaceAll(got, ",", "") != strconv.Itoa(want) {
			t.Errorf("%s = %s, want %d", name, got, want)
		}
	}
	if got, want := b.numbers("books", 1), slices.Sorted(maps.Values(books)); len(got) != min(len(want), 100) || got[0] != want[len(want)-1] {
		t.Errorf("readers of the most read books are %v, want the largest of %v", got, want)
	}
	if bySchool := sum(b.numbers("schools", 2)); bySchool != minutes || sum(b.numbers("minutes", 1)) != minutes {
		t.Errorf("tenths of minutes by school = %d, by day = %d, want %d", bySchool, sum(b.numbers("minutes", 1)), minutes)
	}
}

// TestExploreWhoRead goes from the network to a school, to a class and its pupils, and back.
func TestExploreWhoRead(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "schools", d.schools)
	opening := b.text("[data-figure=came]")
	b.follow("schools")
	classes := b.table("classes")
	var names []string
	for _, c := range classes {
		names = append(names, c[0])
	}
	want := []string{"Infantil A", "1º ano A", "3º ano A", "5º ano A", "7º ano A", "9º ano A", "1ª série A", "Not informed"}
	if !slices.Equal(names, want) {
		t.Errorf("the classes are %q, want %q", names, want)
	}
	b.requests()
	b.follow("classes")
	for _, u := range b.requests() {
		if list := filepath.Base(u.Path); list != "users" && list != "readings" {
			t.Errorf("a class requests %v, want only users and readings", u)
		}
	}
	chosen := evaluate[map[string]string](b, `Object.fromEntries(new URLSearchParams(location.hash.slice(1)))`)
	read, minutes := map[int]int{}, 0
	for _, r := range pull(t, d.url, "schools/v1/readings?profile=student&schoolId="+chosen["school"]+"&"+b.query(), d.schools).Data.Rows {
		read[r.UserID] += r.tenths(r.ReadingMinutes)
	}
	pupils, readers := 0, 0
	for _, u := range pull(t, d.url, "schools/v1/users?profile=student&schoolId="+chosen["school"], d.schools).Data.Rows {
		tenths, has := read[u.UserID]
		if u.Class == nil || strconv.Itoa(u.Class.ID) != chosen["class"] || !u.Active && !has {
			continue
		}
		pupils++
		minutes += tenths
		if has {
			readers++
		}
	}
	if got := b.numbers("pupils", 1); len(got) != pupils || sum(got) != minutes || pupils == 0 {
		t.Errorf("pupils have %v tenths of minutes, want %d of %d pupils", got, minutes, pupils)
	}
	for set, want := range map[string]int{"who": readers, "whoNot": pupils - readers} {
		b.choose("[data-panel=pupils] select", set)
		if got := evaluate[int](b, `document.querySelectorAll("[data-panel=pupils] tbody th").length`); got != want {
			t.Errorf("%s has %d pupils, want %d", set, got, want)
		}
	}
	b.run(do(`history.back()`))
	b.eventually(`!location.hash.includes("class=")`)
	b.settled()
	b.run(do(`history.back()`))
	b.eventually(`!location.hash.includes("school=")`)
	b.settled()
	if visitors := b.text("[data-figure=came]"); visitors != opening {
		t.Errorf("visitors back at the network = %s, want %s", visitors, opening)
	}
	b.quiet(d.url)
}

// follow follows the first link of a panel's table.
func (b *browser) follow(panel string) {
	b.Helper()
	hash := evaluate[string](b, "location.hash")
	b.run(do(fmt.Sprintf(`document.querySelector("[data-panel=%s] tbody a").click()`, panel)))
	b.eventually(fmt.Sprintf("location.hash !== %q", hash))
	b.settled()
}

// TestExploreAddress tests that a view survives a reload, that tables are sorted and searched, and that the language switches in place.
func TestExploreAddress(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "schools", d.schools)
	month := evaluate[string](b, `document.querySelectorAll("#period optgroup option")[1].value`)
	b.choose("#period", month)
	b.choose("#profile", "student")
	hash := evaluate[string](b, "location.hash")
	if want := "#report=schools&period=" + month + "&profile=student"; hash != want {
		t.Errorf("the fragment is %q, want %q", hash, want)
	}
	minutes := b.numbers("minutes", 1)
	b.run(chromedp.Reload())
	b.settled()
	if got := b.numbers("minutes", 1); !slices.Equal(got, minutes) || evaluate[string](b, "location.hash") != hash {
		t.Errorf("after a reload %v at %s, want %v at %s", got, evaluate[string](b, "location.hash"), minutes, hash)
	}

	press := func(column int) {
		b.run(do(fmt.Sprintf(`document.querySelectorAll("[data-panel=books] thead button")[%d].click()`, column)))
	}
	press(2)
	if foot := b.text("[data-panel=books] .foot span"); !strings.HasPrefix(foot, "15 of ") || len(b.cells("books")) != 15 {
		t.Errorf("%d books are shown, and the foot says %q", len(b.cells("books")), foot)
	}
	if got := b.numbers("books", 2); !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
		t.Errorf("minutes of books sorted by minutes = %v, want them descending", got)
	}
	press(2)
	if got := b.numbers("books", 2); !slices.IsSorted(got) {
		t.Errorf("minutes of books sorted again = %v, want them ascending", got)
	}
	title := b.cells("books")[3][0]
	b.run(enter("[data-panel=books] .search", strings.ToUpper(title)))
	if got := b.cells("books"); len(got) == 0 || len(got) > 5 || got[0][0] != title {
		t.Errorf("the search for %q finds %q", title, got)
	}

	b.run(click("#language"))
	b.text(`html[lang="pt-BR"] .tiles`)
	b.settled()
	if got := evaluate[string](b, "location.search + location.hash"); got != "?lang=pt-BR"+hash || b.text("#subject") != "Leitura nas escolas" {
		t.Errorf("in Portuguese the address is %s, and the page says %q", got, b.text("#subject"))
	}
	b.quiet(d.url)
}

// choose chooses an option of a list.
func (b *browser) choose(list, value string) {
	b.Helper()
	b.run(do(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event("change")); })()`, list, value)))
	b.settled()
}

// TestExploreChoices tests that the page requests what a person chooses from the API, in the snapshot of the first response.
func TestExploreChoices(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.explore(d.url, "schools", d.schools)
	b.choose("#period", evaluate[string](b, `document.querySelectorAll("#period optgroup option")[1].value`))
	b.frugal(d.schools)
	query := b.query()
	for list, param := range map[string]string{"#profile": "profile", "#school": "schoolId"} {
		value := evaluate[string](b, `document.querySelector("`+list+`").options[1].value`)
		query += "&" + param + "=" + value
		b.choose(list, value)
	}
	want := pull(t, d.url, "schools/v1/engagements?"+query, d.schools)
	if got := sum(b.numbers("readers", 1)); got != want.Meta.Page.TotalRows || got == 0 {
		t.Errorf("with %s visitors by day sum to %d, want %d", query, got, want.Meta.Page.TotalRows)
	}
	b.run(do(`(() => { const p = document.getElementById("period"); p.value = "dates"; p.dispatchEvent(new Event("change")); })()`),
		do(`document.getElementById("to").value = document.getElementById("from").value`), click("#dates button"))
	b.eventually(`location.hash.includes("..")`)
	b.settled()
	if days := b.table("readers"); len(days) != 1 {
		t.Errorf("rows of one day = %q, want one", days)
	}
	// A year is shown by month. One that has only begun would be shown by day.
	b.choose("#period", evaluate[string](b, `((m) => String(m.slice(0, 4) - (m.slice(5) < "05")))(document.querySelector("#period optgroup option").value)`))
	if finished := sum(b.numbers("finished", 1)); finished == 0 || len(b.table("readers")) > 12 {
		t.Errorf("finished books of a year = %d, in months %q", finished, b.table("readers"))
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

// TestExploreLibraries tests that tables and numbers of the libraries are those of the API.
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
			General              map[string]int
			ReservationsByStatus map[string]int
			Stock                struct{ Histogram []struct{ Count int } }
			DeletedUsers         struct{ Monthly []struct{ Total int } }
			Breakdown            []struct{ Metrics map[string]int }
		}
	}
	s := get[summary](t, d.url, "libraries/v1/summary?groupBy=library&"+b.query(), d.libraries)
	general := s.Data.General
	for _, name := range []string{"registeredUsers", "usersWithLogin", "loans", "readings10", "readings50"} {
		if got := b.tile(name); strings.ReplaceAll(got, ",", "") != strconv.Itoa(general[name]) {
			t.Errorf("%s = %s, want %d", name, got, general[name])
		}
	}
	period := s.Meta.Period
	today := evaluate[string](b, `document.getElementById("to").value`)
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
		for day := first; day.Format(time.DateOnly) <= today; day = day.AddDate(0, 0, 1) {
			want = append(want, days[day.Format(time.DateOnly)][i])
		}
		if !slices.Equal(column, want) || sum(column) != general[[]string{"logins", "loans", "readings10", "readings50"}[i]] {
			t.Errorf("column %d by day = %v, want %v", i, column, want)
		}
	}
	if got := b.numbers("funnel", 1); !slices.Equal(got, []int{general["loans"], general["readings10"], general["readings50"]}) {
		t.Errorf("funnel = %v, want %v", got, general)
	}
	var bands, deleted, groups []int
	for _, band := range s.Data.Stock.Histogram {
		bands = append(bands, band.Count)
	}
	for _, m := range s.Data.DeletedUsers.Monthly {
		deleted = append(deleted, m.Total)
	}
	for _, g := range s.Data.Breakdown {
		groups = append(groups, g.Metrics["loans"])
	}
	for panel, want := range map[string][]int{"stock": bands, "deleted": deleted} {
		if got := b.numbers(panel, 1); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", panel, got, want)
		}
	}
	if got := b.numbers("groups", 2); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(groups))) || len(bands) != 12 {
		t.Errorf("loans by library = %v, want %v, and twelve bands: %v", got, groups, bands)
	}
	if got, want := sum(b.numbers("waiting", 1)), s.Data.ReservationsByStatus["active"]; got != want || want == 0 {
		t.Errorf("reservations of books sum to %d, want %d", got, want)
	}

	// Another grouping takes one request, and age groups are in their order.
	b.requests()
	b.choose("[data-panel=groups] select", "ageGroup")
	want := []string{"Até 6 anos", "7 a 9 anos", "10 a 12 anos", "13 a 17 anos", "18 a 29 anos", "30 a 59 anos", "60 anos ou mais", "Not informed"}
	b.eventually(`document.querySelector("[data-panel=groups] tbody th").textContent.includes("anos")`)
	var labels []string
	for _, row := range b.table("groups") {
		labels = append(labels, row[0])
	}
	if asked := b.requests(); !slices.Equal(labels, want) || len(asked) != 1 {
		t.Errorf("age groups are %q after %d requests, want %q", labels, len(asked), want)
	}

	// Titles of another band take one request, with a snapshot.
	b.choose("[data-panel=titles] select", "1-10")
	b.settled()
	stock := get[list](t, d.url, "libraries/v1/datasets/stock?consumptionBand=1-10", d.libraries)
	if got := b.table("titles"); len(got) != len(stock.Data.Rows) || got[0][0] != stock.Data.Rows[0].Title {
		t.Errorf("titles of a band = %q, want %d, the first %q", got, len(stock.Data.Rows), stock.Data.Rows[0].Title)
	}
	if asked := b.requests(); len(asked) != 1 || asked[0].Query().Get("snapshot") == "" {
		t.Errorf("requests for another band = %v, want one with a snapshot", asked)
	}
}

// TestExploreByKeyboard enters a key, walks a chart, opens its table and removes the key, without a mouse. For the
// browser the page comes over plain HTTP from another host.
func TestExploreByKeyboard(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(chromedp.Navigate(strings.Replace(d.url, "127.0.0.1", plainHost, 1)+"/explore#period=last30"), chromedp.Focus("#key"), chromedp.KeyEvent(d.libraries+kb.Enter))
	b.settled()
	b.eventually(`document.activeElement.id === "period"`)
	if stored := evaluate[string](b, "sessionStorage.lectern + localStorage.length + document.cookie"); !strings.Contains(stored, d.libraries) || !strings.HasSuffix(stored, "0") {
		t.Errorf("the tab keeps %q, want the key only in its session", stored)
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
		if want := fmt.Sprintf("%s: %s active readers", table[at][0], table[at][1]); strings.TrimSuffix(seen[i], " (not over yet)") != want {
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
	b.quiet(strings.Replace(d.url, "127.0.0.1", plainHost, 1))
}

// TestExploreLooks tests that axe finds no fault in the pages at two widths, light and dark. Reports must draw all
// charts and fit the window. It leaves pictures in the folder LECTERN_TEST_PICTURES, if that is set.
func TestExploreLooks(t *testing.T) {
	d := startDemo(t)
	for report, key := range map[string]string{"schools": d.schools, "libraries": d.libraries} {
		for device, width := range map[string]int64{"phone": 360, "desk": 1280} {
			t.Run(report+" "+device, func(t *testing.T) {
				b := openBrowser(t)
				b.speak("pt-BR")
				b.emulate(width, false)
				b.explore(d.url, report, key)
				for _, dark := range []bool{false, true} {
					b.emulate(width, dark)
					b.drawn()
					b.accessible("minor", "moderate", "serious", "critical")
					b.picture(fmt.Sprintf("%s-%s-%v", report, device, map[bool]string{true: "dark", false: "light"}[dark]))
				}
				b.quiet(d.url)
			})
		}
	}
	for path, ready := range map[string]chromedp.CSS{"/explore": "#open", "/": "h1", "/docs": ".opblock"} {
		t.Run(path, func(t *testing.T) {
			b := openBrowser(t)
			b.speak("pt-BR")
			b.run(chromedp.Navigate(d.url + path))
			b.text(ready)
			for device, width := range map[string]int64{"phone": 360, "desk": 1280} {
				for _, dark := range []bool{false, true} {
					b.emulate(width, dark)
					if path == "/docs" {
						b.accessible("serious", "critical") // the viewer has others of its own
					} else {
						b.accessible("minor", "moderate", "serious", "critical")
					}
					b.picture(fmt.Sprintf("page%s-%s-%v", strings.ReplaceAll(path, "/", "-"), device, map[bool]string{true: "dark", false: "light"}[dark]))
				}
			}
			if away := evaluate[[]string](b, `[...document.querySelectorAll("a, link, script, img")].filter((e) => e.checkVisibility() && new URL(e.href || e.src || "", location).origin !== location.origin).map((e) => e.outerHTML)`); len(away) > 0 {
				t.Errorf("the page links to another host: %q", away)
			}
			b.quiet(d.url)
		})
	}
}

// accessible checks that axe finds no fault of some impacts in the page, with its tables and downloads open.
func (b *browser) accessible(impacts ...string) {
	b.Helper()
	script, err := axe()
	b.must(err)
	asked, err := json.Marshal(impacts)
	b.must(err)
	b.run(do(script), do(`document.querySelectorAll(".panel details").forEach((d) => (d.open = true))`))
	faults, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](
		`axe.run().then((r) => r.violations.filter((v) => `+string(asked)+`.includes(v.impact)).map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 200)).slice(0, 3)))`, chromedp.EvalAwaitPromise))
	b.must(err)
	for _, f := range faults {
		b.Errorf("axe finds %s", f)
	}
	b.run(do(`document.querySelectorAll(".panel details").forEach((d) => (d.open = false))`))
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
