package main

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		sizes, want string
		fails       bool
	}{
		{"", "", false},
		{"1000x365", "1000 365;", false},
		{"10x2,30x4", "10 2;30 4;", false},
		{"10", "", true},
		{"10x2,x", "10 2;", true},
	} {
		got := ""
		err := each(tt.sizes, func(users, days int) error {
			got += fmt.Sprintf("%d %d;", users, days)
			return nil
		})
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("each(%q) = %q, %v, want %q and an error: %t", tt.sizes, got, err, tt.want, tt.fails)
		}
	}
}

func TestLoadedCountsRowsAndEvents(t *testing.T) {
	line := `{"books":{"rows":3,"new":3},"loans":{"rows":5},"sessions":{"rows":7,"bad":1},"newEvents":99,"hour":"2026-11-21 13:00:00","seconds":0.2}`
	rows, events, err := loaded([]byte(line), libraryNetworks.files)
	if rows != 15 || events != 12 || err != nil {
		t.Errorf("loaded = %d rows, %d events, %v, want 15, 12 and no error", rows, events, err)
	}
	if _, _, err := loaded([]byte("no totals"), nil); err == nil {
		t.Error("loaded of a line that is no JSON gives no error")
	}
}

func TestSpentIsCounted(t *testing.T) {
	before := spent(os.Getpid())
	for spent(os.Getpid()) < before+50*time.Millisecond {
	}
	if got := spent(0); got != 0 {
		t.Errorf("spent of no process = %v", got)
	}
}

func TestFeedMustBeOver(t *testing.T) {
	n := network{domain: &libraryNetworks, users: 1, days: 100_000}
	if err := n.generate(t.Context()); err == nil || !strings.Contains(err.Error(), "give at most") {
		t.Errorf("generate of days in the future = %v, want a refusal", err)
	}
}

func TestCellsOfBinariesAreCompared(t *testing.T) {
	var one, both samples
	if got := one.cell(ms); got != none {
		t.Errorf("cell of no samples = %q", got)
	}
	for i, n := range []float64{2e6, 3e6, 40e6, 3e6, 1e6, 100e6} {
		one.add(0, n)
		both.add(i%2, n)
	}
	if got, want := one.cell(ms), "3.00 ms"; got != want || one.now() != 3e6 {
		t.Errorf("cell = %q, want %q", got, want)
	}
	if got, want := both.cell(ms), "2.00 ms, 3.00 ms: 1.50"; got != want || both.now() != 3e6 {
		t.Errorf("cell = %q, want %q", got, want)
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

func TestBudgetsAreKeptInEachLine(t *testing.T) {
	d := document{chapter: "c", budgets: newBudgets()}
	d.reached(pageAgain, 1.1, "a")
	d.reached(pageAgain, 1.4, "b")
	d.reached(pageAgain, 1.3, "c")
	d.reached(writeRate, 400, "a")
	d.reached(writeRate, 300, "b")
	d.reached("no budget", 1, "a")
	d.verdicts()
	for _, want := range []string{
		"| page asked again, beside the earlier commit | at most 1.30 times | 1.40 times (c: b) | 2 of 3 |",
		"| directory writes a second at 8 connections | at least 300 | 300 (c: b) | 2 of 2 |",
	} {
		if !strings.Contains(d.String(), want) {
			t.Errorf("the budgets lack %q:\n%s", want, d.String())
		}
	}
}

func TestWritesAreTold(t *testing.T) {
	d := document{budgets: newBudgets()}
	of := func(ms int) written {
		w := written{wall: 100 * time.Millisecond}
		for i := range 200 {
			w.times = append(w.times, float64(ms*(1+i/198))*1e6)
		}
		return w
	}
	d.told("a", []written{of(1)})
	d.told("b", []written{of(1), of(3)})
	want := "| a | 2000 | 1.00 ms | 2.00 ms |\n| b | 2000, 2000: 1.00 | 1.00 ms, 3.00 ms: 3.00 | 2.00 ms, 6.00 ms: 3.00 |\n"
	if got := d.String(); got != want {
		t.Errorf("told = %s, want %s", got, want)
	}
}
