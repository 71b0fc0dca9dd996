package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/auth"
)

type signCmd struct {
	Method string `arg:"" help:"The call's method, such as GET."`
	URL    string `arg:"" help:"The call's URL, exactly as curl sends it."`
	File   string `arg:"" optional:"" help:"The call's JSON body."`
	KeyID  string `name:"key-id" required:"" placeholder:"ID" help:"The accessKeyId of a directory key."`
	Secret secret `required:"" placeholder:"SECRET" help:"Its secret."`
}

// Run prints the signed headers of a directory call as curl flags, quoted for a shell. They are good for 15 minutes.
func (c *signCmd) Run(s *session) error {
	flags, err := signed(c.Method, c.URL, c.File, auth.Signer{ID: c.KeyID, Secret: string(c.Secret), Now: s.now})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, flags)
	return err
}

// signed returns the headers of a call as one line of curl flags: those of its body, its date and its signature. The URL is exactly as
// curl sends it. The file is the call's body, which is JSON; an empty name means an empty body.
func signed(method, url, file string, by auth.Signer) (string, error) {
	target, err := auth.Target(url)
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(by.ID, func(r rune) bool { return r == ':' || r <= ' ' }) {
		return "", fmt.Errorf("%q is no key id; give the accessKeyId that lectern key issue directory printed", by.ID)
	}
	r := &http.Request{Method: strings.ToUpper(method), RequestURI: target, Header: http.Header{}}
	var body []byte
	if file != "" {
		if body, err = os.ReadFile(file); err != nil {
			return "", fmt.Errorf("%w; name the file of the call's body", err)
		}
		r.Header.Set("Content-Type", "application/json")
	}
	by.Digest = auth.SHA256
	by.Sign(r, body)
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		flags = append(flags, "-H "+quote(name+": "+r.Header.Get(name)))
	}
	return strings.Join(flags, " "), nil
}

// quote quotes a text that a shell or xargs would not take for one word.
func quote(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
