package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/lectern-dev/lectern/auth"
)

type signCmd struct {
	Method string `arg:"" help:"The call's method, such as GET."`
	URL    string `arg:"" help:"The call's URL, exactly as curl is to send it."`
	File   string `arg:"" optional:"" help:"The call's body, which is JSON."`
	KeyID  string `name:"key-id" required:"" placeholder:"ID" help:"The accessKeyId of a directory key."`
	Secret secret `required:"" placeholder:"SECRET" help:"Its secret."`
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

// header is a name and a value.
type header struct{ name, value string }

// headers returns the headers of the call: those of its body, its date and its signature.
func (c *signCmd) headers(s *session) ([]header, error) {
	target, err := requestTarget(c.URL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(c.KeyID, func(r rune) bool { return r == ':' || r <= ' ' }) {
		return nil, fmt.Errorf("%q is no key id; give the accessKeyId that lectern key issue directory printed", c.KeyID)
	}
	call := auth.Signed{Method: strings.ToUpper(c.Method), Target: target, Date: s.now().UTC().Format(http.TimeFormat)}
	if c.File != "" {
		if call.Body, err = os.ReadFile(c.File); err != nil {
			return nil, fmt.Errorf("%w; name the file of the call's body", err)
		}
		call.ContentType = "application/json"
	}
	if c.File != "" || call.Method == http.MethodPost || call.Method == http.MethodPut {
		call.ContentSHA256 = auth.HashBody(call.Body)
	}
	return []header{
		{"Authorization", auth.Sign(call, c.KeyID, string(c.Secret), auth.SHA256)},
		{"Date", call.Date},
		{"Content-Type", call.ContentType},
		{"X-Authorization-Content-SHA256", call.ContentSHA256},
	}, nil
}

// requestTarget returns the path and query of a URL as they are sent: not decoded, not cleaned.
func requestTarget(url string) (string, error) {
	for i := range len(url) {
		if url[i] <= ' ' || url[i] >= 0x7f { // clients encode them on their own, and the signature would be of another URL
			return "", errors.New("the URL has a space, an accent or a control character; percent-encode it")
		}
	}
	target := url
	if !strings.HasPrefix(url, "/") {
		_, rest, ok := strings.Cut(url, "://")
		if !ok {
			return "", fmt.Errorf("%q is no URL; write http://HOST/PATH", url)
		}
		host := strings.IndexAny(rest+"/", "/?#")
		target = rest[host:]
	}
	target, _, _ = strings.Cut(target, "#")
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return target, nil
}

// curlFlags writes headers as one line of flags, without the empty ones.
func curlFlags(headers []header) string {
	var flags []string
	for _, h := range headers {
		if h.value != "" {
			flags = append(flags, "-H "+shellQuote(h.name+": "+h.value))
		}
	}
	return strings.Join(flags, " ")
}

// shellQuote quotes a text for a POSIX shell.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
