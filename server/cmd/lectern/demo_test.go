package main

import (
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
)

var curl = regexp.MustCompile(`curl -H 'X-Api-Key: ([^']+)' '([^']+)'`)

// expand returns the URLs that curl makes of one with braces.
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

// TestDemo holds that every call that the demo prints has an answer with rows, and that a start revokes the keys of the
// one before.
func TestDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	former := map[string]string{} // a call by its key
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
				if former[key] != "" {
					t.Errorf("the second start shows key %s of the first one", key)
				}
				for old, before := range former {
					if strings.Contains(url, "/schools/") != strings.Contains(before, "/schools/") {
						continue
					}
					if status, _ := fetch(t, url, old); status != 401 {
						t.Errorf("key %s of the first start = %d at the second, want 401", old, status)
					}
				}
			}
			former = now
		})
	}
}

// TestDemoAddressInUse holds that a demo whose address is taken says so before it makes a database.
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
