// Package shell writes what a POSIX shell takes: words, and calls of the directory by curl.
package shell

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// Call is a call that is to be signed.
type Call struct {
	Method, URL string // the URL exactly as curl is to send it
	File        string // of the body, which is JSON; empty is none
	ID, Secret  string // of the directory key
}

// Flags returns the headers of the call as one line of flags: those of its body, its date and its signature.
func (c Call) Flags(now func() time.Time) (string, error) {
	target, err := auth.Target(c.URL)
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(c.ID, func(r rune) bool { return r == ':' || r <= ' ' }) {
		return "", fmt.Errorf("%q is no key id; give the accessKeyId that lectern key issue directory printed", c.ID)
	}
	r := &http.Request{Method: strings.ToUpper(c.Method), RequestURI: target, Header: http.Header{}}
	var body []byte
	if c.File != "" {
		if body, err = os.ReadFile(c.File); err != nil {
			return "", fmt.Errorf("%w; name the file of the call's body", err)
		}
		r.Header.Set("Content-Type", "application/json")
	}
	auth.Signer{ID: c.ID, Secret: c.Secret, Digest: auth.SHA256, Now: now}.Sign(r, body)
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		flags = append(flags, "-H "+Quote(name+": "+r.Header.Get(name)))
	}
	return strings.Join(flags, " "), nil
}

// Quote quotes a text as a shell and xargs take it for one word, where it needs that.
func Quote(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
