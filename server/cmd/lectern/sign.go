package main

import (
	"fmt"

	"github.com/lectern-dev/lectern/server/internal/operate/shell"
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
	flags, err := shell.Call{Method: c.Method, URL: c.URL, File: c.File, ID: c.KeyID, Secret: string(c.Secret)}.Flags(s.now)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, flags)
	return err
}
