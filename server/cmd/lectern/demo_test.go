package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var curl = regexp.MustCompile(`curl -H 'X-Api-Key: ([^']+)' '([^']+)'`)

// expand returns the URLs that curl requests for a URL with a list in braces.
func expand(url string) (urls []string) {
	before, rest, found := strings.Cut(url, "{")
	if !found {
		return []string{url}
	}
	list, after, _ := strings.Cut(rest, "}")
	for name := range strings.SplitSeq(list, ",") {
		urls = append(urls, before+name+after)
	}
	return urls
}

// TestDemo tests that every call that the demo prints returns rows. It also tests that a start revokes the keys of the
// start before, and that git ignores all files of the demo.
func TestDemo(t *testing.T) {
	ignored, err := os.ReadFile("../../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	earlier := map[string]string{} // calls of the start before, by key
	for range 2 {
		whileServing(t, []string{"demo", "--addr", "127.0.0.1:0", "--schools-rate", "0"}, "Ctrl-C", func(lines string) {
			docs := regexp.MustCompile(`http://\S+/docs\b`).FindString(lines)
			if status, body := fetch(t, docs, ""); status != 200 || !strings.Contains(body, "<html") {
				t.Errorf("the demo's %q = %d, want the page", docs, status)
			}
			links := regexp.MustCompile(`(?m)^(http://\S+/explore)#key=(\S+)&report=(schools|libraries)$`).FindAllStringSubmatch(lines, -1)
			if len(links) != 2 || !strings.Contains(lines, "-H 'X-Api-Key: "+links[0][2]+"'") || !strings.Contains(lines, "-H 'X-Api-Key: "+links[1][2]+"'") {
				t.Errorf("demo printed the links %q, want one with each key", links)
			} else if status, body := fetch(t, links[0][1], ""); status != 200 || !strings.Contains(body, "<html") {
				t.Errorf("the demo's %q = %d, want the page", links[0], status)
			}
			files, _ := os.ReadDir(".")
			for _, f := range files {
				if !slices.ContainsFunc(strings.Fields(string(ignored)), func(pattern string) bool { ok, _ := filepath.Match(pattern, f.Name()); return ok }) {
					t.Errorf("git does not ignore the demo's %s", f.Name())
				}
			}
			counts, now := map[string]int{}, map[string]string{}
			calls := curl.FindAllStringSubmatch(lines, -1)
			for _, c := range calls {
				api, _, _ := strings.Cut(c[2][strings.Index(c[2], "-platform/")+len("-platform/"):], "/")
				counts[api]++
				for _, url := range expand(c[2]) {
					now[c[1]] = url
					if status, body := fetch(t, url, c[1]); status != 200 || strings.Contains(body, `"rows":[]`) {
						t.Errorf("GET %s = %d %s, want rows", url, status, body)
					}
				}
			}
			if len(now) != 2 || counts["schools"] != 3 || counts["libraries"] != 5 || len(calls) != 8 {
				t.Fatalf("demo printed %s, want 3 calls of schools and 5 of libraries", lines)
			}
			for key, url := range now {
				if earlier[key] != "" {
					t.Errorf("the second start shows key %s of the first one", key)
				}
				for old, before := range earlier {
					if strings.Contains(url, "/schools/") != strings.Contains(before, "/schools/") {
						continue
					}
					if status, _ := fetch(t, url, old); status != 401 {
						t.Errorf("key %s of the first start = %d at the second, want 401", old, status)
					}
				}
			}
			earlier = now
		})
	}
}

// TestDemoFeeds tests that the feeds that the demo writes can be loaded and have segments of yesterday.
func TestDemoFeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	if out := ok(t, "demo", "--feeds", "feeds"); out != `{"libraries":"feeds/libraries/demo","schools":"feeds/schools/demo"}`+"\n" {
		t.Errorf("demo --feeds prints %s, want the folders", out)
	}
	ok(t, "partner", "create", "demo", "--name", "Demo")
	ok(t, "library", "create", "demo", "--name", "Demo")
	ok(t, "load", "schools", "--partner", "demo", "feeds/schools/demo")
	ok(t, "load", "libraries", "--library", "demo", "feeds/libraries/demo")
	yesterday := time.Now().UTC().Add(-27 * time.Hour).Format(",2006-01-02T") // in Brasilia
	if segments, err := os.ReadFile("feeds/schools/demo/segments.csv"); err != nil || !bytes.Contains(segments, []byte(yesterday)) {
		t.Errorf("the segments have no row of yesterday: %v", err)
	}
	if files, _ := filepath.Glob("*demo.db*"); len(files) > 0 {
		t.Errorf("demo --feeds made %v, want no database", files)
	}
	if line := fails(t, exitError, "demo", "--feeds", "/proc/x"); !strings.Contains(line, "name a folder that can be made or written") {
		t.Errorf("demo --feeds in a folder that cannot be written says %q", line)
	}
}

// TestDemoAddressInUse tests that a demo reports that its address is in use before it creates a database.
func TestDemoAddressInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if line := fails(t, exitError, "demo", "--addr", taken.Addr().String()); !strings.Contains(line, "in use; choose another address with --addr") {
		t.Errorf("demo at a taken address says %q, want what to do", line)
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("demo at a taken address left %v, want nothing", files)
	}
}
