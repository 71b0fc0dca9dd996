package generate_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

type generator func(context.Context, string, generate.Params) (generate.Summary, error)

// generators has both generators, each with a file that depends on the seed.
var generators = []struct {
	name     string
	generate generator
	file     string
}{{"schools", generate.Schools, "segments"}, {"libraries", generate.Libraries, "sessions"}}

// write writes a feed into a new folder.
func write(t testing.TB, to generator, p generate.Params) (string, generate.Summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "feed")
	sum, err := to(t.Context(), dir, p)
	if err != nil {
		t.Fatal(err)
	}
	return dir, sum
}

// files returns the bytes of a feed's files.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func TestSameParametersSameBytes(t *testing.T) {
	for _, g := range generators {
		for _, p := range []generate.Params{{Users: 120, Days: 20, Seed: 3}, {Users: 120, Days: 20, Seed: 3, Format: "csv"}, {Users: 120, Days: 20, Seed: 3, Compress: "zst"}} {
			of := func(seed uint64) map[string]string {
				p.Seed = seed
				dir, _ := write(t, g.generate, p)
				return files(t, dir)
			}
			one, again, other := of(3), of(3), of(4)
			if !maps.Equal(one, again) {
				t.Errorf("%s with %+v differs in a second run", g.name, p)
			}
			for name := range one {
				if strings.HasPrefix(name, g.file) && one[name] == other[name] {
					t.Errorf("%s of different seeds is the same", name)
				}
			}
		}
	}
}

func TestParameters(t *testing.T) {
	for _, tt := range []struct {
		rule string
		p    generate.Params
		want string
	}{
		{"no users", generate.Params{Days: 1}, "0 users, 1 days"},
		{"no days", generate.Params{Users: 1}, "1 users, 0 days"},
		{"titles below 0", generate.Params{Users: 1, Days: 1, Titles: -1}, "1 users, 1 days and -1 titles"},
		{"format", generate.Params{Users: 1, Days: 1, Format: "xml"}, `no format "xml"`},
		{"compression", generate.Params{Users: 1, Days: 1, Compress: "zip"}, `no compression "zip"`},
	} {
		for _, g := range generators {
			if _, err := g.generate(t.Context(), t.TempDir(), tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %s = %v, want %q", tt.rule, g.name, err, tt.want)
			}
		}
	}
}

func TestCanceledFeedIsRemoved(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, g := range generators {
		dir := t.TempDir()
		_, err := g.generate(ctx, dir, generate.Params{Users: 50, Days: 50})
		if got := files(t, dir); !errors.Is(err, context.Canceled) || len(got) > 0 {
			t.Errorf("%s = %v and %d files, want context canceled and none", g.name, err, len(got))
		}
	}
}

func TestPiecesAreTheWholeFeed(t *testing.T) {
	p := generate.Params{Users: 120, Days: 20, Seed: 3}
	dir, sum := write(t, generate.Schools, p)
	whole, pieces := files(t, dir), map[string]string{}
	dir = t.TempDir()
	p.Piece, p.Take = 7, func() error {
		for name, text := range files(t, dir) {
			pieces[name] += text
		}
		return nil
	}
	inPieces, err := generate.Schools(t.Context(), dir, p)
	if err != nil || !maps.Equal(inPieces, sum) {
		t.Errorf("Schools in pieces = %v, %v, want %v", inPieces, err, sum)
	}
	if _ = p.Take(); !maps.Equal(pieces, whole) {
		t.Error("the pieces differ from the whole feed")
	}
	p.Take = func() error { return os.ErrClosed }
	if _, err := generate.Schools(t.Context(), dir, p); !errors.Is(err, os.ErrClosed) || len(files(t, dir)) > 0 {
		t.Errorf("Schools with a Take that fails = %v and %d files, want its error and none", err, len(files(t, dir)))
	}
}
