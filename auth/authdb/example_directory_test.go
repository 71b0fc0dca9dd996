package authdb_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
)

func ExampleStore_Secret() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "lectern")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	db, err := database.Open(ctx, "sqlite:"+filepath.Join(folder, "lectern.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Migrate(ctx, authdb.Migrations); err != nil {
		fmt.Println(err)
		return
	}
	box, err := auth.NewBox(bytes.Repeat([]byte{1}, 32)) // random bytes outside examples
	if err != nil {
		fmt.Println(err)
		return
	}

	store := &authdb.Store{DB: db.DB, Box: box}
	const partner auth.Tenant = 1 // from a list that is stored elsewhere, for example by package snapshotdb
	secret, key, err := store.Issue(ctx, db, authdb.IssueParams{Tenant: partner, API: auth.Directory})
	fmt.Println(key.ID(), len(secret), err)

	// The partner signs a request with the secret. The server looks the secret up by the key's id.
	now := key.Created
	signed := auth.Signed{Method: "GET", Target: "/api/v2/partners/entities/1", Date: now.Format(http.TimeFormat)}
	signed.Authorization = auth.Sign(signed, key.ID(), secret, auth.SHA256)
	grant, err := store.Secret(ctx, key.ID(), box)
	fmt.Println(grant.Key.Tenant, err, signed.Verify(grant.Secret, now))

	_, err = store.Secret(ctx, "1-2", box)
	fmt.Println(err, signed.Refuse(now))
	// Output:
	// 1-1 43 <nil>
	// 1 <nil> <nil>
	// no valid key: it is unknown no valid signature
}
