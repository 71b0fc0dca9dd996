package auth_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

func ExampleSigner() {
	signer := auth.Signer{ID: "7-3", Secret: "secret", Now: func() time.Time { return signedAt }}
	body := `{"name":"X"}`
	r, err := http.NewRequest("POST", "https://api.example.test/api/v2/partners/teachers", strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	signer.Sign(r, []byte(body))
	fmt.Println(auth.SignedFrom(r, []byte(body)).Verify("secret", signedAt))
	// Output: <nil>
}

func TestSignedFrom(t *testing.T) {
	body := []byte("body")
	r := httptest.NewRequest("POST", "/a%2fb//c?d=%20", nil)
	for name, value := range map[string]string{
		"content-type": "ct", "DATE": "d", "x-date": "x", "X-Authorization-Content-SHA256": "s", "X-APIAuth-Content-Hash": "a",
		"Content-MD5": "m", "authorization": "APIAuth 7-3:sig", "X-Original-URI": "/other", "X-Forwarded-Uri": "/other",
	} {
		r.Header.Set(name, value)
	}
	want := auth.Signed{
		Method: "POST", Target: "/a%2fb//c?d=%20", ContentType: "ct", Date: "d", XDate: "x",
		ContentSHA256: "s", APIAuthHash: "a", ContentMD5: "m", Authorization: "APIAuth 7-3:sig", Body: body,
	}
	if got := auth.SignedFrom(r, body); !reflect.DeepEqual(got, want) {
		t.Errorf("SignedFrom = %+v, want %+v", got, want)
	}
	if got, want := auth.SignedFrom(&http.Request{}, nil), (auth.Signed{Method: "GET"}); !reflect.DeepEqual(got, want) {
		t.Errorf("SignedFrom of an empty request = %+v, want %+v", got, want)
	}
}

// TestSignerOverHTTP tests that a server accepts signed requests, whatever the path, but not one with a header twice.
func TestSignerOverHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || auth.SignedFrom(r, body).Verify(secret, signedAt) != nil {
			http.Error(w, "refused", http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	status := func(t *testing.T, r *http.Request) int {
		t.Helper()
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	for _, target := range []string{
		"/", "", "?a=b", "/a//b/../c", "/" + url.PathEscape("São João/1 100% 🏫"), "/s%c3%a3o", "/a:b@c!d$e&f'(g)*+,;=~-_.h?a=b+c/d==&x=,/y",
	} {
		for _, digest := range []auth.Digest{auth.SHA1, auth.SHA512} {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
				body := []byte(method)
				signer := auth.Signer{ID: "7-3", Secret: secret, Digest: digest, Now: func() time.Time { return signedAt }}
				r, err := http.NewRequest(method, server.URL+target, bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				signer.Sign(r, body)
				twice := r.Clone(t.Context())
				twice.Body = io.NopCloser(bytes.NewReader(body))
				twice.Header.Add("Date", signedDate)
				if got := status(t, r); got != http.StatusOK {
					t.Errorf("%s %s signed with %v: status %d, want 200", method, target, digest, got)
				}
				if got := status(t, twice); got != http.StatusUnauthorized {
					t.Errorf("%s %s with two dates: status %d, want 401", method, target, got)
				}
			}
		}
	}
}

func TestSignerHeaders(t *testing.T) {
	signer := auth.Signer{ID: "7-3", Secret: secret, Now: func() time.Time { return signedAt.In(time.FixedZone("", 3600)) }}
	for _, test := range []struct {
		name, header, value string // set before signing
		wantDate            string
	}{
		{"NoDate", "Accept", "*/*", signedDate},
		{"Date", "Date", "Thu, 03 Oct 2024 12:49:14 GMT", "Thu, 03 Oct 2024 12:49:14 GMT"},
		{"XDate", "X-Date", signedDate, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &http.Request{Method: "GET", URL: &url.URL{Path: "/a"}, Header: http.Header{test.header: {test.value}}}
			signer.Sign(r, nil)
			if got := r.Header.Get("Date"); got != test.wantDate {
				t.Errorf("Date = %q, want %q", got, test.wantDate)
			}
			checkVerify(t, auth.SignedFrom(r, nil), true)
		})
	}
	bare := &http.Request{URL: &url.URL{Path: "/a"}}
	auth.Signer{ID: "7-3", Secret: secret}.Sign(bare, nil) // at the current time
	if err := auth.SignedFrom(bare, nil).Verify(secret, time.Now()); err != nil {
		t.Errorf("Verify of a signed request without other headers = %v, want nil", err)
	}
}

func TestTarget(t *testing.T) {
	tests := map[string]string{
		"http://h/a%2Fb?x=%C3%A9&y=1": "/a%2Fb?x=%C3%A9&y=1",
		"https://u:p@h:1/a//b/":       "/a//b/",
		"http://h/a/../b":             "/a/../b",
		"http://h":                    "/",
		"http://h?x":                  "/?x",
		"http://h/a#b?c":              "/a",
		"http://h#b":                  "/",
		"/a?u=http://x":               "/a?u=http://x",
		"http://h/a?u=http://x/":      "/a?u=http://x/",
	}
	for url, want := range tests {
		if got, err := auth.Target(url); err != nil || got != want {
			t.Errorf("auth.Target(%q) = %q, %v, want %q", url, got, err, want)
		}
	}
	for _, url := range []string{"", "h/a", "http://h/é", "http://h/a b", "http://h/a\tb", "http://h/\n"} {
		if got, err := auth.Target(url); err == nil {
			t.Errorf("auth.Target(%q) = %q, want an error", url, got)
		}
	}
}
