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
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
)

// exampleDatabase returns a new database with the tables, and a function that removes it.
func exampleDatabase() (db *database.DB, stop func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	if db, err = database.Open(ctx, "sqlite:"+filepath.Join(dir, "lectern.db")); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Migrate(ctx, authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations); err != nil {
		log.Fatal(err)
	}
	return db, func() { db.Close(); os.RemoveAll(dir) }
}

// This example writes a partner's network and its first school, and reads them back.
func ExampleWrite_PutEntities() {
	ctx := context.Background()
	db, stop := exampleDatabase()
	defer stop()

	var partner directory.PartnerID
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
		if partner, err = directorydb.CreatePartner(ctx, tx, "rede-sul", "Rede Sul"); err != nil {
			return err
		}
		w := &directorydb.Write{IDB: tx, Partner: partner, Version: 1} // a version that the caller then publishes
		err = w.PutEntities(ctx, []directory.Entity{
			{ID: 1, Ref: "sul", Type: directory.Network, Name: "Sul", Degree: "F"},
			{ID: 2, Ref: "escola-1", Type: directory.School, Name: "Escola Um", Degree: "F", Parent: 1},
		})
		if err != nil {
			return err
		}
		return w.SetCounters(ctx, 2, 0)
	})
	if err != nil {
		log.Fatal(err)
	}
	entities, err := directorydb.Latest(db, partner).Entities(ctx)
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
