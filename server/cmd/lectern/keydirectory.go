package main

import (
	"fmt"
	"os"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

type issueDirectoryCmd struct {
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	expiry
}

// Run issues a key and prints it, the only time that its secret can be seen.
func (c *issueDirectoryCmd) Run(s *session) error {
	db, p, err := s.openPartner(s.openExisting, c.Partner)
	if err != nil {
		return err
	}
	defer db.Close()
	k, err := issueDirectory(s, db, p, c.time())
	if err != nil {
		return err
	}
	return s.print(k)
}

// directoryKey is a directory key as it is printed.
type directoryKey struct {
	AccessKeyID string `json:"accessKeyId"`
	Secret      string `json:"secret"`
}

func issueDirectory(s *session, db *database.DB, p directorydb.Partner, expires time.Time) (directoryKey, error) {
	box, err := s.box(db)
	if err != nil {
		return directoryKey{}, err
	}
	params := authdb.IssueParams{Tenant: auth.Tenant(p.ID), API: auth.Directory, Expires: expires}
	secret, k, err := s.keys(db).IssueDirectory(s.ctx, params, box)
	return directoryKey{k.ID(), secret}, explainKey(err, "")
}

// box returns the box of the secrets of directory keys, for who seals one.
func (s *session) box(db *database.DB) (*auth.Box, error) {
	key, err := secretKey()
	if err != nil {
		return nil, err
	}
	secrets, err := server.NewSecrets(db, key)
	if err != nil {
		return nil, err
	}
	return secrets.MakeBox()
}

// secretKey returns the key in the environment, nil where there is none. It is no flag, since other users of a machine
// can see those.
func secretKey() ([]byte, error) {
	key, err := server.ParseSecretKey(os.Getenv(server.SecretKeyVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", server.SecretKeyVariable, err)
	}
	return key, nil
}
