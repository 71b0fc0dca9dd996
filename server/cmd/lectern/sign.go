package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/internal/commandline"
)

type signCmd struct {
	Method string             `arg:"" help:"The call's method, such as GET."`
	URL    string             `arg:"" help:"The call's URL, exactly as curl is to send it."`
	File   string             `arg:"" optional:"" help:"The call's body, which is JSON."`
	KeyID  string             `name:"key-id" required:"" placeholder:"ID" help:"The accessKeyId of a directory key."`
	Secret commandline.Secret `required:"" placeholder:"SECRET" help:"Its secret."`
}

// Run prints the signed headers of a directory call as curl flags, quoted for a shell. They are good for 15 minutes.
func (c *signCmd) Run(s *session) error {
	headers, err := c.headers(s)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, curlFlags(headers))
	return err
}

// headers returns the headers of the call: those of its body, its date and its signature.
func (c *signCmd) headers(s *session) (http.Header, error) {
	target, err := auth.Target(c.URL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(c.KeyID, func(r rune) bool { return r == ':' || r <= ' ' }) {
		return nil, fmt.Errorf("%q is no key id; give the accessKeyId that lectern key issue directory printed", c.KeyID)
	}
	r := &http.Request{Method: strings.ToUpper(c.Method), RequestURI: target, Header: http.Header{}}
	var body []byte
	if c.File != "" {
		if body, err = os.ReadFile(c.File); err != nil {
			return nil, fmt.Errorf("%w; name the file of the call's body", err)
		}
		r.Header.Set("Content-Type", "application/json")
	}
	auth.Signer{ID: c.KeyID, Secret: string(c.Secret), Digest: auth.SHA256, Now: s.now}.Sign(r, body)
	return r.Header, nil
}

// curlFlags writes headers as one line of flags.
func curlFlags(headers http.Header) string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		flags = append(flags, "-H "+shellQuote(name+": "+headers.Get(name)))
	}
	return strings.Join(flags, " ")
}

// shellQuote quotes a text for a POSIX shell.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
