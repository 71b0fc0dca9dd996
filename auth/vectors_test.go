package auth_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// vector is one case of testdata/vectors.json: a request, and the expected result of a check at a time.
type vector struct {
	Name          string
	Method        string
	RequestURI    string `json:"request_uri"`
	Headers       map[string]string
	Body          string
	BodyBase64    string `json:"body_base64"`
	AccessID      string `json:"access_id"`
	Secret        string
	Digest        string
	Now           time.Time
	ClockSkew     int    `json:"clock_skew"`
	Canonical     string `json:"canonical_string"`
	Authorization string
	Expect        string
	Reason        string
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Vectors
}

// request returns the vector's request as a server reads it from the wire.
func (v vector) request(t *testing.T) (*http.Request, []byte) {
	t.Helper()
	body, err := base64.StdEncoding.DecodeString(v.BodyBase64)
	if err != nil || string(body) != v.Body {
		t.Fatalf("decoded body = %q, %v, want %q", body, err, v.Body)
	}
	return received(t, v.Method, v.RequestURI, v.Headers, body)
}

// received returns a request as a server reads it from the wire, and its body.
func received(t *testing.T, method, target string, headers map[string]string, body []byte) (*http.Request, []byte) {
	t.Helper()
	var wire strings.Builder
	fmt.Fprintf(&wire, "%s %s HTTP/1.1\r\nHost: api.example.test\r\nContent-Length: %d\r\n", method, target, len(body))
	for name, value := range headers {
		fmt.Fprintf(&wire, "%s: %s\r\n", name, value)
	}
	fmt.Fprintf(&wire, "\r\n%s", body)
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire.String())))
	if err != nil {
		t.Fatal(err)
	}
	read, err := io.ReadAll(r.Body)
	if err != nil || !bytes.Equal(read, body) {
		t.Fatalf("body read = %q, %v, want it unchanged", read, err)
	}
	return r, read
}

// TestVectors tests the published cases: requests that clients of the convention send today, and requests that must be
// refused.
func TestVectors(t *testing.T) {
	verdicts := map[string]int{}
	for _, v := range readVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			verdicts[v.Expect]++
			s := auth.SignedFrom(v.request(t))
			id, alg, _, ok := auth.ParseAuthorization(s.Authorization)
			err := s.Verify(v.Secret, v.Now)
			if v.Expect == "reject" {
				if !errors.Is(err, auth.ErrSignature) {
					t.Errorf("%s: Verify = %v, want ErrSignature", v.Reason, err)
				}
				return
			}
			if err != nil || !ok || id != v.AccessID {
				t.Errorf("%s: Verify = %v, with the key %q, want %q accepted", v.Reason, err, id, v.AccessID)
			}
			if got := s.Canonical(); got != v.Canonical {
				t.Errorf("Canonical() = %q, want %q", got, v.Canonical)
			}
			if got := auth.Sign(s, v.AccessID, v.Secret, alg); got != v.Authorization {
				t.Errorf("Sign() = %q, want %q", got, v.Authorization)
			}
			if want := strings.ToUpper(v.Digest); alg.String() != want || v.ClockSkew != int(auth.DateWindow/time.Second) {
				t.Errorf("digest %v, window %v, want %s and %d s", alg, auth.DateWindow, want, v.ClockSkew)
			}
		})
	}
	if verdicts["accept"] != 28 || verdicts["reject"] != 30 || len(verdicts) != 2 {
		t.Errorf("%v vectors, want 28 to accept and 30 to reject", verdicts)
	}
}

// TestRecorded tests that requests recorded from public clients of the convention are accepted at their date, with
// every digest, and no longer after their window.
func TestRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Secret   string
		Requests []struct {
			Client, Method, Target, Body string
			Headers                      map[string]string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range file.Requests {
		s := auth.SignedFrom(received(t, r.Method, r.Target, r.Headers, []byte(r.Body)))
		id, digest, _, _ := auth.ParseAuthorization(s.Authorization)
		at, err := http.ParseTime(s.Date)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s of %s by %v", r.Method, r.Client, digest)
		seen[name] = true
		if err := s.Verify(file.Secret, at); err != nil || id != "1-1" {
			t.Errorf("%s: Verify = %v, with the key %q, want 1-1 accepted", name, err, id)
		}
		if err := s.Verify(file.Secret, at.Add(auth.DateWindow+time.Second)); !errors.Is(err, auth.ErrSignature) {
			t.Errorf("%s, after its window: Verify = %v, want ErrSignature", name, err)
		}
	}
	if len(seen) != 3*3*5 {
		t.Errorf("%d requests, want three of three clients by five digests", len(seen))
	}
}
