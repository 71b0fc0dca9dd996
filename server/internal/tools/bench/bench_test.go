package main

import (
	"fmt"
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
	rows, events, err := loaded([]byte(line), libraryNetworks.counted)
	if rows != 15 || events != 12 || err != nil {
		t.Errorf("loaded = %d rows, %d events, %v, want 15, 12 and no error", rows, events, err)
	}
	if _, _, err := loaded([]byte("no totals"), nil); err == nil {
		t.Error("loaded of a line that is no JSON gives no error")
	}
}

func TestSpentIsCounted(t *testing.T) {
	of, base, err := spent(0, os.Getpid(), func() error {
		for end := used(os.Getpid()) + 50*time.Millisecond; used(os.Getpid()) < end; {
		}
		return nil
	})
	if of <= 0 || base != 0 || err != nil {
		t.Errorf("spent = %v, %v, %v, want some of this process and nothing of a database", of, base, err)
	}
}

func TestFeedMustBeOver(t *testing.T) {
	n := network{domain: &libraryNetworks, users: 1, days: 100_000}
	if err := n.measured(t.Context(), false); err == nil || !strings.Contains(err.Error(), "give at most") {
		t.Errorf("measured of days that are yet to come = %v, want a refusal", err)
	}
}

func TestFiguresOfBothAreCompared(t *testing.T) {
	var f figures
	if got := f.compare(ms); got != none {
		t.Errorf("compare of no figures = %q", got)
	}
	for i, d := range []time.Duration{2, 3, 40, 3, 1, 100} {
		f.add(i%2, d*time.Millisecond)
	}
	if got, want := f.compare(ms), "2.00 ms, 3.00 ms: 1.50"; got != want {
		t.Errorf("compare = %q, want %q", got, want)
	}
	f.cpu = [2]time.Duration{200, 210}
	if got, want := f.compare(ms), "2.00 ms, 3.00 ms: 1.50; 1.05"; got != want {
		t.Errorf("compare = %q, want %q", got, want)
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
		"| page asked again, beside the former commit | at most 1.30 times | 1.40 times (c: b) | 2 of 3 |",
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
		w := written{wall: writesEach * time.Millisecond, server: writesEach * 100 * time.Microsecond}
		for i := range 200 {
			w.times = append(w.times, time.Duration(ms*(1+i/198))*time.Millisecond)
		}
		return w
	}
	if got, want := strings.Join(d.told("sqlite", "a", 8, []written{of(1)}), "|"), "1000|1.00 ms|2.00 ms|0.10 ms|–"; got != want {
		t.Errorf("told = %s, want %s", got, want)
	}
	got, want := strings.Join(d.told("sqlite", "a", 8, []written{of(1), of(3)}), "|"),
		"1000, 1000: 1.00|1.00 ms, 3.00 ms: 3.00|2.00 ms, 6.00 ms: 3.00|0.10 ms, 0.10 ms: 1.00|–"
	if got != want {
		t.Errorf("told beside = %s, want %s", got, want)
	}
}
