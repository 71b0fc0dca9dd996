package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
)

// files are a module with a package whose tests see some mistakes and some not.
var files = map[string]string{
	"go.mod": "module example.test/m\n\ngo 1.26\n",
	"clock/clock.go": `// Package clock is tested.
package clock

const hours, never = 24, "x"

// Late is tested but for the bound of the night.
func Late(hour int, on bool) (half int, late bool) {
	half += hour % 12
	if hour == 13 {
		return 0, false
	}
	return half, on && hour > 22 && hour < hours
}

// Room is as large as it likes.
func Room(n int) []int {
	list := make([]int, 0, 8)
	if n < 0 { //mutants:equal no list has room for less than nothing
		n = -n
	}
	//mutants:equal this explains nothing, since the test sees the change
	return append(list, n)
}

// Bytes is about that large.
func Bytes(n int) int { return 100 + n }
`,
	"clock/clock_test.go": `package clock

import "testing"

func TestLate(t *testing.T) {
	for _, tt := range []struct { hour int; on bool; half int; late bool }{
		{9, true, 9, false}, {13, true, 0, false}, {25, false, 1, false}, {12, true, 0, false}, {22, true, 10, false}, {23, true, 11, true}, {23, false, 11, false}, {26, true, 2, false},
	} {
		if half, late := Late(tt.hour, tt.on); half != tt.half || late != tt.late {
			t.Errorf("%+v: %d, %t", tt, half, late)
		}
	}
}

func TestBytes(t *testing.T) {
	if Bytes(2) < Bytes(1) {
		t.Error("more is less")
	}
}

func TestRoom(t *testing.T) {
	if got := Room(-4); len(got) != 1 || got[0] != 4 {
		t.Error(got)
	}
}
`,
}

// TestJudge finds the mistakes that the tests of a package do not see, and no others.
func TestJudge(t *testing.T) {
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := judge(t.Context(), trial{root: root, dir: t.TempDir(), parallel: 2, only: regexp.MustCompile(""), packages: []string{"clock"}})
	if err != nil {
		t.Fatal(err)
	}
	want := result{name: "clock", mutants: 26, killed: 21, equal: 3, told: []string{
		"clock/clock.go:12:39: < -> <=",
		"clock/clock.go:4:22: 24 -> (24 + 1)", // 26 is the only hour after the last that is tested
		"clock: clock.go:21 explains nothing that survives",
	}}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("judge = %+v, want %+v", r, want)
	}
}
