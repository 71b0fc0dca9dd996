package authdb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
)

func Example() {
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

	store := &authdb.Store{DB: db.DB}
	const tenant auth.Tenant = 1 // from a list that is stored elsewhere, for example by package snapshotdb
	text, key, err := store.Issue(ctx, db, authdb.IssueParams{Tenant: tenant, API: auth.Libraries})
	if err != nil {
		fmt.Println(err)
		return
	}
	grant, err := store.Check(ctx, text, auth.Libraries)
	fmt.Println(key.ID(), grant.Key.Tenant, err)

	_, successor, err := store.Rotate(ctx, db, key.ID(), 7*24*time.Hour, nil)
	fmt.Println(successor.ID(), successor.RateBudget() == key.RateBudget(), err)

	err = store.Revoke(ctx, key.ID())
	_, refused := store.Check(ctx, text, auth.Libraries)
	fmt.Println(err, refused)
	// Output:
	// 1-1 1 <nil>
	// 1-2 true <nil>
	// <nil> no valid key: it is revoked
}
