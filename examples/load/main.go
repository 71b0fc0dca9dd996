// Load loads two feeds into a database in memory, and prints a page of readings and numbers of a libraries summary.
package main

import (
	"context"
	"fmt"
	"os"

	libraries "github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	schools "github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

func main() {
	ctx := context.Background()
	db := must(database.Open(ctx, "sqlite::memory:"))
	must(server.Migrate(ctx, db))
	acme, norte := must(server.Create(ctx, db, snapshotdb.Partner, "acme", "Acme")), must(server.Create(ctx, db, snapshotdb.Library, "norte", "Norte"))
	must(server.Load(ctx, db, acme, os.DirFS("examples/load/schools"), server.LoadOptions{}, nil)) // any fs.FS
	must(server.Load(ctx, db, norte, os.DirFS("examples/load/libraries"), server.LoadOptions{}, nil))
	august := calendar.Period{Start: calendar.MustParse("2026-08-01"), End: calendar.MustParse("2026-08-31")}
	rede := must(server.ReadSchools(ctx, db, "acme", "rede"))
	for _, r := range must(rede.Readings(ctx, rede.Access, august, schools.Filter{}, paging.Page{Number: 1, Size: 100})).Rows {
		fmt.Println("user", r.UserID, "read", r.Book.Title, "for", r.Minutes, "minutes, finished:", r.Finished)
	}
	shelves := must(server.ReadLibraries(ctx, db, "norte"))
	general := must(shelves.Summary(ctx, shelves.Access, libraries.SummaryQuery{Period: august}, paging.Page{Number: 1, Size: 1})).General
	fmt.Println(general.RegisteredUsers, "readers,", general.ActiveLoans(), "active loans of", general.DistinctBooks, "books")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
