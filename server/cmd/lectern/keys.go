package main

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// expiry is the flag of the commands that issue keys.
type expiry struct {
	Expires *calendar.Date `placeholder:"DATE" help:"Last day on which the key is valid, in Brasilia time."`
}

// time returns the moment at which the key expires; zero means never.
func (e expiry) time() time.Time {
	if e.Expires == nil {
		return time.Time{}
	}
	return (*e.Expires + 1).Start()
}

type issueDirectoryCmd struct {
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	expiry
}

// Run issues a key and prints it, the only time that its secret can be seen.
func (c *issueDirectoryCmd) Run(s *session) error {
	return s.printKey(snapshotdb.Partner, c.Partner, server.KeyParams{API: auth.Directory, Expires: c.time()})
}

type issueSchoolsCmd struct {
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	Network string `required:"" placeholder:"REF" help:"The network's reference_id."`
	expiry
}

// Run issues a key and prints it, the only time that it can be seen.
func (c *issueSchoolsCmd) Run(s *session) error {
	return s.printKey(snapshotdb.Partner, c.Partner, server.KeyParams{API: auth.Schools, Network: directory.Ref(c.Network), Expires: c.time()})
}

type issueLibrariesCmd struct {
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
	expiry
}

// Run issues a key and prints it, the only time that it can be seen.
func (c *issueLibrariesCmd) Run(s *session) error {
	return s.printKey(snapshotdb.Library, c.Library, server.KeyParams{API: auth.Libraries, Expires: c.time()})
}

// printKey issues a key of the tenant with a reference and prints it.
func (s *session) printKey(kind snapshotdb.Kind, reference string, p server.KeyParams) error {
	db, t, err := s.openTenant(migrated, kind, reference)
	if err != nil {
		return err
	}
	issuer, err := s.issuer(db)
	if err != nil {
		return err
	}
	p.Tenant = t.ID
	text, k, err := issuer.Issue(s.ctx, p)
	if err != nil {
		return err
	}
	return s.print(printed(text, k))
}

// issuedKey is a key as it is printed: its text, or of a directory key its id and its secret.
type issuedKey struct {
	APIKey      string `json:"apiKey,omitempty"`
	AccessKeyID string `json:"accessKeyId,omitempty"`
	Secret      string `json:"secret,omitempty"`
}

func printed(text string, k auth.Key) issuedKey {
	if k.API == auth.Directory {
		return issuedKey{AccessKeyID: k.ID(), Secret: text}
	}
	return issuedKey{APIKey: text}
}

type keyRotateCmd struct {
	ID    string `arg:"" help:"The key's id, as lectern key list shows it."`
	Grace grace  `default:"7d" placeholder:"TIME" help:"How long the old key stays valid: 7d, 12h, 30m, 0 (default ${default})."`
	expiry
}

// Run issues the successor and prints it. Without --expires it expires when the old key would have.
func (c *keyRotateCmd) Run(s *session) error {
	db, err := s.openExisting(migrated)
	if err != nil {
		return err
	}
	issuer, err := s.issuer(db)
	if err != nil {
		return err
	}
	var expires *time.Time
	if c.Expires != nil {
		expires = new(c.time())
	}
	text, k, err := issuer.Rotate(s.ctx, c.ID, time.Duration(c.Grace), expires)
	if err != nil {
		return err
	}
	return s.print(printed(text, k))
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"The key's id, as lectern key list shows it."`
}

// Run revokes a key. Revoking a revoked key is not an error.
func (c *keyRevokeCmd) Run(s *session) error {
	db, err := s.openExisting(migrated)
	if err == nil {
		err = s.keys(db).Revoke(s.ctx, c.ID)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, "revoked", c.ID)
	return err
}

type keyListCmd struct {
	JSON bool `name:"json" help:"Print a line of JSON for each key."`
}

// Run lists all keys, by tenant and number. If a node does not answer, the error follows the keys of the other nodes.
func (c *keyListCmd) Run(s *session) error {
	db, err := s.openExisting(upToDate)
	if err != nil {
		return err
	}
	keys, left := s.status(db).Keys(s.ctx)
	return list(s, keys, left, c.JSON, status.WriteKeys)
}

// issuer returns an issuer of keys; directory keys are sealed under the key in the environment, if there is one.
func (s *session) issuer(db *database.DB) (*server.Issuer, error) {
	kept, err := secrets(db)
	return &server.Issuer{Keys: s.keys(db), Secrets: kept}, err
}

func secrets(db *database.DB) (*server.Secrets, error) {
	key, err := server.EnvironmentKey()
	if err != nil {
		return nil, err
	}
	return server.NewSecrets(db, key)
}
