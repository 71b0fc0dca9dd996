package directorydb_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
)

// exampleDatabase returns a database of its own with the tables, and what removes it.
func exampleDatabase() (db *database.DB, stop func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	if db, err = database.Open(ctx, "sqlite:"+filepath.Join(dir, "lectern.db")); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Migrate(ctx, authdb.Migrations, directorydb.Migrations); err != nil {
		log.Fatal(err)
	}
	return db, func() { db.Close(); os.RemoveAll(dir) }
}

// A partner's network and its first school, written and read back.
func ExamplePutEntities() {
	ctx := context.Background()
	db, stop := exampleDatabase()
	defer stop()

	var partner directory.PartnerID
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
		if partner, err = directorydb.CreatePartner(ctx, tx, "rede-sul", "Rede Sul"); err != nil {
			return err
		}
		const version = 1 // of the registers, as authdb.Raise will publish it
		err = directorydb.PutEntities(ctx, tx, partner, version, []directory.Entity{
			{ID: 1, Ref: "sul", Type: directory.Network, Name: "Sul", Degree: "F"},
			{ID: 2, Ref: "escola-1", Type: directory.School, Name: "Escola Um", Degree: "F", Parent: 1},
		})
		if err != nil {
			return err
		}
		return directorydb.SetCounters(ctx, tx, partner, 2, 0)
	})
	if err != nil {
		log.Fatal(err)
	}
	entities, err := directorydb.Entities(ctx, db, partner)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entities {
		fmt.Println(e.ID, e.Type, e.Name)
	}
	// Output:
	// 1 network Sul
	// 2 school Escola Um
}
