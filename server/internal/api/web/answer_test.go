package web_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// answer returns the answer {"text":text} to a request with header lines, which are given in pairs.
func answer(a *web.Answers, text string, headers ...string) *http.Response {
	r := httptest.NewRequest("GET", "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.WriteJSON(w, r, func(w *wire.Writer) { w.Text("text", text, "") })
	return w.Result()
}

// body returns the decoded body of an answer.
func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if l := res.Header.Get("Content-Length"); l != strconv.Itoa(len(b)) {
		t.Errorf("Content-Length = %s, want %d", l, len(b))
	}
	switch coding := res.Header.Get("Content-Encoding"); coding {
	case "":
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		b, err = io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
	case "zstd":
		z, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		if b, err = z.DecodeAll(b, nil); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("Content-Encoding = %q", coding)
	}
	return string(b)
}

func TestAnswerCoding(t *testing.T) {
	const shell = len(`{"text":""}`)
	small, big := strings.Repeat("a", 1023-shell), strings.Repeat("a", 1024-shell)
	tests := []struct{ rule, text, accept, want string }{
		{"none asked for", big, "", ""},
		{"gzip", big, "gzip", "gzip"},
		{"zstd", big, "zstd", "zstd"},
		{"a tie goes to zstd", big, "gzip, deflate, br, zstd", "zstd"},
		{"any is gzip", big, "*", "gzip"},
		{"any with a q", big, "*;q=0.001", "gzip"},
		{"any of q 0", big, "*;q=0", ""},
		{"any but zstd", big, "zstd;q=0, *", "gzip"},
		{"any but gzip", big, "gzip;q=0, *", ""},
		{"any, and zstd by name", big, "*, zstd", "zstd"},
		{"any before zstd", big, "zstd;q=0.9, *", "gzip"},
		{"any after zstd", big, "zstd, *;q=0.9", "zstd"},
		{"any where plain is refused", small, "*, identity;q=0", "gzip"},
		{"the higher q", big, "zstd;q=0.5, gzip;q=0.501", "gzip"},
		{"the higher q, of zstd", big, "zstd;q=0.5,gzip;q=0.499", "zstd"},
		{"q with spaces and capitals", big, "ZSTD ; Q=0.1 , GZIP ; Q=0.2", "gzip"},
		{"old name of gzip", big, "x-gzip", "gzip"},
		{"q of 0", big, "gzip;q=0", ""},
		{"zstd of q 0", big, "zstd;q=0", ""},
		{"both of q 0", big, "zstd;q=0, gzip;q=0", ""},
		{"q of 0.000", big, "gzip;q=0.000", ""},
		{"a malformed q is no offer", big, "gzip;q=2", ""},
		{"q above 1 is no offer", big, "gzip;q=1.001", ""},
		{"identity preferred", big, "gzip;q=0.5, identity", ""},
		{"identity with a lower q", big, "gzip, identity;q=0.5", "gzip"},
		{"identity not named has no preference", big, "gzip;q=0.001", "gzip"},
		{"nothing acceptable", big, "br, *;q=0", ""},
		{"unknown coding", big, "br", ""},
		{"1023 bytes are sent plain", small, "zstd, gzip", ""},
		{"1023 bytes where plain is refused", small, "gzip, identity;q=0", "gzip"},
		{"1023 bytes where all else is refused", small, "gzip, *;q=0", "gzip"},
	}
	var a web.Answers
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			res := answer(&a, tt.text, "Accept-Encoding", tt.accept)
			if got := res.Header.Get("Content-Encoding"); got != tt.want {
				t.Errorf("Content-Encoding for %q = %q, want %q", tt.accept, got, tt.want)
			}
			if got, want := body(t, res), `{"text":"`+tt.text+`"}`; got != want {
				t.Errorf("body = %.40s…, want %.40s…", got, want)
			}
		})
	}
}

func TestAnswerHeaders(t *testing.T) {
	var a web.Answers
	res := answer(&a, "<&> é \u2028")
	if got, want := body(t, res), "{\"text\":\"<&> é \u2028\"}"; got != want {
		t.Errorf("body = %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		"Content-Type":  "application/json; charset=utf-8",
		"Cache-Control": "private, no-cache",
		"Vary":          "Accept, Accept-Encoding, Authorization, X-Api-Key",
		"ETag":          `W/"nInE6AP3Pdz-w-Cb5m80Ig"`,
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}

func TestAnswerNotModified(t *testing.T) {
	var a web.Answers
	tag := answer(&a, "one").Header.Get("ETag")
	strong := strings.TrimPrefix(tag, "W/")
	if other := answer(&a, "two").Header.Get("ETag"); other == tag {
		t.Fatalf("two bodies have the tag %s", tag)
	}
	tests := []struct {
		rule string
		sent []string
		want int
	}{
		{"the tag", []string{tag}, 304},
		{"the tag as a strong one", []string{strong}, 304},
		{"any", []string{"*"}, 304},
		{"in a list", []string{`"x", W/"y" ,` + tag}, 304},
		{"first in a list", []string{tag + `,"x"`}, 304},
		{"after a tag with a comma", []string{`"a,b", ` + tag}, 304},
		{"in a second line", []string{`"x"`, tag}, 304},
		{"another", []string{`"x"`}, 200},
		{"without quotes", []string{strings.Trim(strong, `"`)}, 200},
		{"inside another", []string{`"` + strings.Trim(strong, `"`) + `x"`}, 200},
		{"not closed", []string{strings.TrimSuffix(tag, `"`)}, 200},
		{"empty", []string{""}, 200},
		{"lower-case w", []string{"w" + strings.TrimPrefix(tag, "W")}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			var headers []string
			for _, line := range tt.sent {
				headers = append(headers, "If-None-Match", line)
			}
			res := answer(&a, "one", headers...)
			if res.StatusCode != tt.want {
				t.Fatalf("status for %q = %d, want %d", tt.sent, res.StatusCode, tt.want)
			}
			if res.Header.Get("ETag") != tag || res.Header.Get("Vary") == "" || res.Header.Get("Cache-Control") == "" {
				t.Errorf("headers = %v, want ETag, Vary and Cache-Control", res.Header)
			}
			if b, _ := io.ReadAll(res.Body); (len(b) == 0) != (tt.want == 304) {
				t.Errorf("body with status %d = %q", tt.want, b)
			}
		})
	}
}

// TestAnswerTagAcrossCodings tests that the tag is that of the text: it is the same in another coding.
func TestAnswerTagAcrossCodings(t *testing.T) {
	var a web.Answers
	text := strings.Repeat("x", 5000)
	plain, zipped := answer(&a, text), answer(&a, text, "Accept-Encoding", "gzip")
	if p, z := plain.Header.Get("ETag"), zipped.Header.Get("ETag"); p != z {
		t.Errorf("tags = %s and %s, want one", p, z)
	}
}

// TestAnswersConcurrently tests that simultaneous answers do not share pooled buffers or encoders.
func TestAnswersConcurrently(t *testing.T) {
	var a web.Answers
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				text := strings.Repeat(string(rune('a'+i)), 100*n)
				res := answer(&a, text, "Accept-Encoding", []string{"gzip", "zstd", ""}[n%3])
				if got, want := body(t, res), `{"text":"`+text+`"}`; got != want {
					t.Errorf("body = %.40s…, want %.40s…", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestWriteJSON(t *testing.T) {
	w := httptest.NewRecorder()
	web.WriteJSON(w, 201, func(w *wire.Writer) { w.Int("n", 1, "") })
	h := w.Header()
	if w.Code != 201 || w.Body.String() != `{"n":1}` || h.Get("Content-Length") != "7" || h.Get("Content-Type") != "application/json; charset=utf-8" || h.Get("ETag") != "" {
		t.Errorf("WriteJSON = %d %s %v, want 201 {\"n\":1} without an entity tag", w.Code, w.Body, h)
	}
}
