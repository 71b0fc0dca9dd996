package server

import (
	"runtime/debug"
	"testing"
)

// TestIsCommitted: what the toolchain says stands for a program only where nothing of it was changed beside a commit.
func TestIsCommitted(t *testing.T) {
	settings := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	replaced := []*debug.Module{{Path: "a"}, {Path: "b", Replace: &debug.Module{Path: "../b"}}}
	for _, test := range []struct {
		rule string
		info debug.BuildInfo
		want bool
	}{
		{"a commit", debug.BuildInfo{Settings: settings("52b6bab", "false"), Deps: replaced[:1]}, true},
		{"a changed tree", debug.BuildInfo{Settings: settings("52b6bab", "true")}, false},
		{"no repository", debug.BuildInfo{}, false},
		{"a module of a folder", debug.BuildInfo{Settings: settings("52b6bab", "false"), Deps: replaced}, false},
	} {
		if got := isCommitted(&test.info); got != test.want {
			t.Errorf("%s: isCommitted = %t, want %t", test.rule, got, test.want)
		}
	}
}
