package docs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	cdpnetwork "github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a page of a headless Chromium, with its complaints and the addresses that it requested.
type browser struct {
	*testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	asked      []string
}

// openBrowser starts the browser that LECTERN_TEST_CHROMIUM names. Everything that the page logs as an error, every
// exception in it and every breach of its content security policy is a complaint.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := os.Getenv("LECTERN_TEST_CHROMIUM")
	if path == "" {
		t.Fatal("LECTERN_TEST_CHROMIUM is not set: run `make verify`, or any command with `.ci/with-chromium COMMAND`, which find or install a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()))
	// The name is not the machine's own, so its pages over plain HTTP are no secure context.
	options = append(options, chromedp.Flag("host-resolver-rules", "MAP "+plainHost+" 127.0.0.1"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // for root Chromium has no sandbox, and does not start without this option
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // so that a page that hangs fails its own test only
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel) // it waits for the browser's end
	b := &browser{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	_, errNetwork := chromedp.Call(ctx, cdpnetwork.Enable, cdpnetwork.EnableParams{})
	_, errLog := chromedp.Call(ctx, cdplog.Enable, cdp.Empty{})
	_, errRuntime := chromedp.Call(ctx, cdpruntime.Enable, cdp.Empty{})
	if err := errors.Join(errNetwork, errLog, errRuntime); err != nil {
		t.Fatal(err)
	}
	return b
}

// listen records complaints and requests of the page.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *cdpnetwork.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	case *cdpruntime.EventExceptionThrown:
		text, _ := json.Marshal(e.ExceptionDetails)
		b.complaints = append(b.complaints, string(text))
	case *cdpruntime.EventConsoleAPICalled:
		text, _ := json.Marshal(e.Args)
		b.complaints = append(b.complaints, string(text))
	case *cdplog.EventEntryAdded:
		b.complaints = append(b.complaints, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
	}
}

// run does a person's steps in the page.
func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, steps...))
}

// text waits for an element and returns its text.
func (b *browser) text(selector chromedp.CSS) string {
	b.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Text(selector, chromedp.NodeVisible))
	b.must(err)
	return strings.TrimSpace(text)
}

// must ends the test on an error, and reports what happened in the page.
func (b *browser) must(err error) {
	b.Helper()
	if err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Fatalf("%v; the page logged %q, and requested %q", err, b.complaints, b.asked)
}

// quiet checks that the page complained of nothing and sent requests to the server only.
func (b *browser) quiet(server string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.Errorf("the page logged: %s", c)
	}
	own := 0
	for _, asked := range b.asked {
		u, err := url.Parse(asked)
		switch {
		case err != nil:
			b.Error(err)
		case u.Scheme == "data": // an icon in the style sheet: no request at all
		case !strings.HasPrefix(asked, server+"/"):
			b.Errorf("the page requests another host: %s", asked)
		default:
			own++
		}
	}
	if own == 0 {
		b.Error("the page requested nothing of the server, so the test shows nothing")
	}
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](b *browser, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	b.must(err)
	return value
}

// unnamed lists the forms and visible controls of the page that have no name for a screen reader.
const unnamed = `[...document.querySelectorAll("form, nav, select, input, textarea, button")].filter((e) =>
	e.checkVisibility() && !e.labels?.length && !e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby") &&
	!(e.tagName === "BUTTON" && (e.title || e.textContent.trim()))).map((e) => e.outerHTML)`

// named checks that every form, field and button has a name.
func (b *browser) named() {
	b.Helper()
	if controls := evaluate[[]string](b, unnamed); len(controls) > 0 {
		b.Errorf("controls without a name: %q", controls)
	}
	if n := evaluate[int](b, "document.querySelectorAll('#routes select[aria-label], #routes input[aria-label]').length"); n == 0 {
		b.Error("no control of the routes has a name, so the test shows nothing")
	}
}

// try opens an operation, fills its parameters in and executes it, and returns the status and the body that the page shows.
func (b *browser) try(operation string, params map[string]string) (status, body string) {
	b.Helper()
	block := chromedp.CSS("#operations-" + operation)
	b.run(click(block+" .opblock-summary-control"), click(block+" .try-out__btn"))
	for name, value := range params {
		row := block + chromedp.CSS(` tr[data-param-name="`+name+`"] `)
		b.run(enter(row+"select, "+row+"input", value))
	}
	b.run(click(block + " .execute"))
	answer := block + " .live-responses-table .response "
	return b.text(answer + ".response-col_status"), b.text(answer + ".highlight-code")
}

func click(selector chromedp.CSS) chromedp.Action[chromedp.Void] {
	return chromedp.Click(selector, chromedp.NodeVisible)
}

// leave clicks on a link and waits for its page, so that the test does not read the old page.
func (b *browser) leave(link chromedp.CSS) {
	b.Helper()
	_, err := chromedp.RunResponse(b.ctx, click(link))
	b.must(err)
}

// enter types into a field, or chooses in a list by typing.
func enter(selector chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(selector, text, chromedp.NodeVisible)
}

// TestDocsOfSchools checks that the page shows rows of the schools after a key is entered.
func TestDocsOfSchools(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(
		chromedp.Navigate(d.url+"/docs"),
		enter("#key", d.schools),
	)
	status, body := b.try("reading-users", map[string]string{"profile": "teacher"})
	if status != "200" || !strings.Contains(body, `"userId"`) || !strings.Contains(body, `"profile": "teacher"`) || strings.Contains(body, `"profile": "student"`) {
		t.Errorf("users of the schools = %s %s, want 200 and a row", status, body)
	}
	b.named()
	b.quiet(d.url)
}

// TestDocsOfferWorkbook checks that an answer in the form of a workbook can be downloaded.
func TestDocsOfferWorkbook(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	const block = "#operations-reading-users "
	b.run(
		chromedp.Navigate(d.url+"/docs"),
		enter("#key", d.schools),
		click(block+".opblock-summary-control"),
		click(block+".try-out__btn"),
		enter(block+".responses-table select.content-type", "application/vnd"),
		click(block+".execute"),
	)
	const answer = block + ".live-responses-table "
	text := b.text(answer + "a[download]")
	href := evaluate[string](b, `(({download, href}) => download + " " + href)(document.querySelector("`+answer+`a[download]"))`)
	if text != "Download file" || !strings.HasPrefix(href, "users.xlsx blob:") {
		t.Errorf("link %q to %s, want the workbook to download", text, href)
	}
	b.quiet(d.url)
}

func TestDocsOfLibraries(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(
		chromedp.Navigate(d.url+"/docs?api=libraries"),
		enter("#key", d.libraries),
	)
	status, body := b.try("datasets-stock", nil)
	b.named()
	if status != "200" || !strings.Contains(body, `"purchaseId"`) {
		t.Errorf("stock of the libraries = %s %s, want 200 and a row", status, body)
	}
	b.quiet(d.url)
}

// plainHost is another name of 127.0.0.1.
const plainHost = "lectern.test"

// TestDocsOfDirectory checks that the page signs calls of the directory, also if it comes over plain HTTP from another
// host. The browser then has no hash functions.
func TestDocsOfDirectory(t *testing.T) {
	d := startDemo(t)
	for _, tt := range []struct {
		name, url string
		subtle    bool
	}{
		{"own machine", d.url, true},
		{"plain HTTP", strings.Replace(d.url, "127.0.0.1", plainHost, 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) { docsOfDirectory(openBrowser(t), d, tt.url, tt.subtle) })
	}
}

func docsOfDirectory(b *browser, d *demo, url string, subtle bool) {
	b.run(
		chromedp.Navigate(url+"/docs?api=directory"),
		enter("#key-id", d.id),
		enter("#secret", d.secret),
	)
	if has := evaluate[bool](b, "crypto.subtle !== undefined"); has != subtle {
		b.Fatalf("the browser has crypto.subtle: %v, want %v", has, subtle)
	}
	status, body := b.try("entities-listEntities", map[string]string{"entity_type": "school"})
	if status != "200" || !strings.Contains(body, "escola-99000001") {
		b.Errorf("the list of schools = %s %s, want 200 and a school", status, body)
	}
	status, body = b.try("teachers-createTeacher", nil)
	if status != "201" || !strings.Contains(body, "Rui Prado") {
		b.Errorf("the example of a teacher = %s %s, want 201", status, body)
	}
	if status := d.delete(b.T, "/teachers/prof-17"); status != http.StatusNoContent {
		b.Errorf("DELETE of the teacher = %d, want 204", status)
	}
	b.named()
	b.quiet(url)
}

// TestDocsWithoutKey checks that the page shows a 401. It does not check the console, where a browser logs a 401 as an error.
func TestDocsWithoutKey(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(chromedp.Navigate(d.url + "/docs?api=schools"))
	if status, body := b.try("reading-users", nil); status != "401" || !strings.Contains(body, "missing or invalid API key") {
		t.Errorf("users without a key = %s %s, want 401", status, body)
	}
}

// TestRootInBrowser checks that the page at the root leads to the APIs, without a breach of its policy.
func TestRootInBrowser(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(chromedp.Navigate(d.url + "/"))
	if text := b.text("body"); !strings.Contains(text, "schools") || !strings.Contains(text, "key") {
		t.Errorf("the page says %q, want a description of the server", text)
	}
	b.leave(`.doors a[href^="/docs"]`)
	b.text("#routes")
	b.quiet(d.url)
}

// TestDocsLanguage checks that the language switch keeps the API and the open route, and that the links to the other
// pages keep the language.
func TestDocsLanguage(t *testing.T) {
	d, b := startDemo(t), openBrowser(t)
	b.run(
		chromedp.Navigate(d.url+"/docs?api=libraries"),
		click("#operations-datasets-stock .opblock-summary-control"),
	)
	b.leave("#language")
	b.text("html[lang=pt-BR] #operations-datasets-stock.is-open .opblock-description")
	if text := b.text("#apis [aria-current]"); text != "Uso das bibliotecas" {
		t.Errorf("the chosen API is %q, want the libraries", text)
	}
	b.leave(`header a[href^="/explore"]`)
	if text := b.text("#heading"); text != "Veja os números" {
		t.Errorf("the heading of the numbers = %q, want Portuguese", text)
	}
	b.quiet(d.url)
}
