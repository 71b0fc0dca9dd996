package main

import (
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		text  string
		want  []size
		fails bool
	}{
		{"", nil, false}, {"1000x365", []size{{1000, 365}}, false}, {"10x2,30x4", []size{{10, 2}, {30, 4}}, false}, {"10", nil, true}, {"10x2,x", nil, true},
	} {
		if got, err := parseSizes(tt.text); !slices.Equal(got, tt.want) || (err != nil) != tt.fails {
			t.Errorf("parseSizes(%q) = %v, %v, want %v and an error: %t", tt.text, got, err, tt.want, tt.fails)
		}
	}
}

func TestLoadedCountsRows(t *testing.T) {
	line := `{"books":{"rows":3,"new":3},"loans":{"rows":5},"sessions":{"rows":7,"bad":1},"newEvents":99,"hour":"2026-11-21 13:00:00","seconds":0.2}`
	rows, err := loaded([]byte(line))
	if rows != 15 || err != nil {
		t.Errorf("loaded = %d rows, %v, want 15 and no error", rows, err)
	}
	if _, err := loaded([]byte("no totals")); err == nil {
		t.Error("loaded of a line that is not JSON = nil, want an error")
	}
}

func TestSpentIsCounted(t *testing.T) {
	before := spent(os.Getpid())
	for spent(os.Getpid()) < before+50*time.Millisecond {
	}
	if got := spent(0); got != 0 {
		t.Errorf("spent(0) = %v, want 0", got)
	}
}

func TestFeedMustBeOver(t *testing.T) {
	n := network{domain: &libraryNetworks, document: &document{}, users: 1, days: 100_000}
	if err := n.generate(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "give at most") {
		t.Errorf("generate of days in the future = %v, want an error that says so", err)
	}
}

func TestCellsOfBinariesAreCompared(t *testing.T) {
	for _, tt := range []struct {
		s    samples
		want string
	}{
		{nil, none},
		{samples{{2e6, 3e6, 40e6}}, "3.00"},
		{samples{{3e6, 1e6, 2e6}, {1e6, 100e6, 3e6}}, "2.00, 3.00: 1.50"},
		{samples{{2e6}, {5e6}, {1e6}}, "2.00, 5.00, 1.00: 0.50"},
	} {
		if got := tt.s.by(median).cell(milliseconds); got != tt.want {
			t.Errorf("cell of %v = %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestTimingsAreMedians(t *testing.T) {
	got := timings("question: readings, all days\nTime: 5.0 ms\nTime: 1234.500 ms (00:01.235)\nTime: 6.5 ms\nquestion: b\nTime: 1 ms\n")
	if want := map[string]float64{"readings, all days": 6.5e6, "b": 1e6}; !maps.Equal(got, want) {
		t.Errorf("timings = %v, want %v", got, want)
	}
}

func TestOtherPagesAreSpread(t *testing.T) {
	for _, tt := range []struct {
		q                 question
		rows, n, from, to int
	}{
		{question{size: 1000}, 222_885, repeats, 6, 216},
		{question{size: 1000}, 10, repeats, 0, 0},
		{question{}, 0, 0, 0, 0},
		{question{shift: 30}, 0, 1, 30, 30},
	} {
		got := tt.q.others(tt.rows)
		if len(got) != tt.n || tt.n > 0 && (got[0] != tt.from || got[len(got)-1] != tt.to) {
			t.Errorf("others of %+v with %d rows = %v, want %d from %d to %d", tt.q, tt.rows, got, tt.n, tt.from, tt.to)
		}
	}
}

func TestBudgetsAreJudgedByTheirWorstLine(t *testing.T) {
	d := document{chapter: "c", budgets: newBudgets()}
	for line, n := range map[string]float64{"a": 1.1, "b": 1.4, "c": 1.3, "d": math.NaN()} {
		d.reached(pageAgain, n, line)
	}
	d.reached(writeRate, 400, "a")
	d.reached(writeRate, 300, "b")
	d.reached("no budget", 1, "a")
	page := d.page()
	for _, want := range []string{
		"| page asked again | at most 1.30 times | 1.40 times | **missed**, 1.08 of it, by 1 of 3 (c: b) | make bench |",
		"| directory writes a second, 8 connections | at least 300 | 300 | met, 1.00 of it | make bench |",
		"| lines of the tools | at most 10000 | – | not measured | make house |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

// TestPressureCountsLateRequests checks that the time of a request that waits for a connection begins when it is due.
func TestPressureCountsLateRequests(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(50 * time.Millisecond) }))
	defer slow.Close()
	p := pressureOn(slow)
	p.send(t.Context(), 1000, 1, 500*time.Millisecond)
	if n := len(p.took); n == 0 || n > 11 || p.took[n-1] < float64(50*time.Millisecond)*float64(n-1) || p.failed != nil {
		t.Errorf("times %v, %v, want at most 11, each 50 ms later than the one before", p.took, p.failed)
	}
}

// TestPressureEndsAtAnError checks that a connection that fails takes no more requests.
func TestPressureEndsAtAnError(t *testing.T) {
	fails := httptest.NewServer(http.NotFoundHandler())
	defer fails.Close()
	p := pressureOn(fails)
	if p.send(t.Context(), 0, 2, time.Minute); len(p.took) > 0 || p.failed == nil || p.failed.Error() != "404 Not Found" {
		t.Errorf("%d requests answered, %v, want none and 404", len(p.took), p.failed)
	}
}

func pressureOn(s *httptest.Server) *pressure {
	return &pressure{servers: []*serving{{url: s.URL + "/x"}}, requests: slices.Repeat([][]string{{"GET / HTTP/1.1\r\nHost: bench\r\n\r\n"}}, clients)}
}
