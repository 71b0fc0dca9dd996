package server_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestParseSecretKey(t *testing.T) {
	good := base64.StdEncoding.EncodeToString(secretKey)
	for text, want := range map[string][]byte{"": nil, " \n": nil, good: secretKey, good + "\n": secretKey} {
		if got, err := server.ParseSecretKey(text); err != nil || !bytes.Equal(got, want) {
			t.Errorf("ParseSecretKey(%q) = %x, %v, want %x", text, got, err, want)
		}
	}
	for rule, text := range map[string]string{
		"31 bytes": base64.StdEncoding.EncodeToString(secretKey[:31]), "33 bytes": base64.StdEncoding.EncodeToString(append(secretKey, 7)),
		"not base64": strings.Repeat("!", 44), "hexadecimal": strings.Repeat("07", 32),
	} {
		if got, err := server.ParseSecretKey(text); err == nil || !strings.Contains(err.Error(), "openssl rand -base64 32") {
			t.Errorf("ParseSecretKey of %s = %x, %v, want an error that says how to make one", rule, got, err)
		}
	}
}

func newSecrets(t *testing.T, db *database.DB, key []byte) *server.Secrets {
	t.Helper()
	s, err := server.NewSecrets(db, key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSecretKeyGiven(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSecrets(t, db, secretKey)
		box, err := s.MakeBox()
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := box.Seal("1-1", "secret")
		if err != nil {
			t.Fatal(err)
		}
		if secret, err := box.Open("1-1", sealed); err != nil || secret != "secret" {
			t.Errorf("Open = %q, %v, want secret", secret, err)
		}
		if _, err := server.NewSecrets(db, secretKey[1:]); err == nil {
			t.Error("NewSecrets with 31 bytes = nil, want an error")
		}
		if file, ok := strings.CutPrefix(db.URL, "sqlite:"); ok {
			if _, err := os.Stat(file + ".key"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("key file with a given key: %v, want none", err)
			}
		}
	})
}

func TestSecretKeyOnPostgres(t *testing.T) {
	s := newSecrets(t, dbtest.Postgres(t), nil)
	if _, err := s.MakeBox(); !errors.Is(err, server.ErrNoSecretKey) {
		t.Errorf("MakeBox = %v, want ErrNoSecretKey", err)
	}
	if _, err := s.Cursors(); !errors.Is(err, server.ErrNoSecretKey) {
		t.Errorf("Cursors = %v, want ErrNoSecretKey", err)
	}
}

// TestSecretKeyFile tests that the key file is made when it is first needed, and only once by many processes.
func TestSecretKeyFile(t *testing.T) {
	db := dbtest.SQLite(t)
	file := strings.TrimPrefix(db.URL, "sqlite:") + ".key"
	before := newSecrets(t, db, nil)
	if _, err := before.Box(); !errors.Is(err, server.ErrNoSecretKey) {
		t.Errorf("Box before the key file exists = %v, want ErrNoSecretKey", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Box made a file: %v", err)
	}
	var wg sync.WaitGroup
	made := make([][]byte, 20)
	for i := range made {
		s := newSecrets(t, db, nil) // as another process has it
		wg.Go(func() {
			box, err := s.MakeBox()
			if err != nil {
				t.Error(err)
				return
			}
			made[i], _ = box.Seal("1-1", "secret")
		})
	}
	wg.Wait()
	box, err := before.Box() // it looks for the file again
	if err != nil {
		t.Fatal(err)
	}
	for i, sealed := range made {
		if secret, err := box.Open("1-1", sealed); secret != "secret" || err != nil {
			t.Errorf("process %d has another key: %v", i, err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file = %v, %v, want mode 0600", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); left != nil {
		t.Errorf("temporary files left: %q, want none", left)
	}
	text, err := os.ReadFile(file)
	if key, err2 := server.ParseSecretKey(string(text)); err != nil || err2 != nil || key == nil {
		t.Errorf("key file = %q, %v, want a key in the form of the variable", text, errors.Join(err, err2))
	}

	for rule, content := range map[string]string{"damaged": "x", "empty": ""} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newSecrets(t, db, nil).MakeBox(); err == nil || errors.Is(err, server.ErrNoSecretKey) || !strings.Contains(err.Error(), file) {
			t.Errorf("a key file that is %s = %v, want an error that names it", rule, err)
		}
	}
}

// TestCursorKey tests that the key of cursors depends on the secret key, and is another key.
func TestCursorKey(t *testing.T) {
	db := dbtest.SQLite(t)
	a, err := newSecrets(t, db, secretKey).Cursors()
	b, err2 := newSecrets(t, db, secretKey).Cursors()
	c, err3 := newSecrets(t, db, make([]byte, 32)).Cursors()
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Key, b.Key) || bytes.Equal(a.Key, c.Key) || bytes.Equal(a.Key, secretKey) || len(a.Key) != 32 {
		t.Errorf("keys of cursors = %x, %x, of another secret %x, want the first two alike", a.Key, b.Key, c.Key)
	}
}

// TestReadinessWithoutKeyFile tests that a server is not ready, and says why, if it cannot read the key file. A server
// with a configured key needs no file.
func TestReadinessWithoutKeyFile(t *testing.T) {
	db := dbtest.SQLite(t)
	file := strings.TrimPrefix(db.URL, "sqlite:") + ".key"
	s, given := newServer(t, server.Config{DB: db}), newServer(t, server.Config{DB: db, SecretKey: secretKey})
	readiness(t, s, "no key was made yet", "")
	if err := os.Mkdir(file, 0o700); err != nil { // which root cannot read either
		t.Fatal(err)
	}
	readiness(t, s, "a key file that cannot be read", "key file: read "+file)
	readiness(t, given, "a key was given", "")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := newSecrets(t, db, nil).MakeBox(); err != nil {
		t.Fatal(err)
	}
	readiness(t, s, "a key file", "")
}
