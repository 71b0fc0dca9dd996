package database_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/uptrace/bun"
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

	// A store embeds its migrations. This example writes them out.
	migrations := fstest.MapFS{
		"migrations/sqlite/20260101000000_squares.tx.up.sql": {Data: []byte("CREATE TABLE squares (n INTEGER PRIMARY KEY, square INTEGER)")},
	}
	applied, err := db.Migrate(ctx, migrations)
	fmt.Println(applied, err)

	conn, err := db.Conn(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	err = conn.RunInTx(ctx, nil, func(ctx context.Context, _ bun.Tx) error {
		n, err := db.Copy(ctx, conn, "squares", []string{"n", "square"}, func(yield func([]any) bool) {
			for i := range 1000 {
				if !yield([]any{i, i * i}) {
					return
				}
			}
		})
		fmt.Println(n, "rows")
		return err
	})
	fmt.Println(err)
	var square int
	err = db.NewRaw("SELECT square FROM squares WHERE n = ?", 12).Scan(ctx, &square)
	fmt.Println(square, err)
	// Output:
	// [20260101000000_squares] <nil>
	// 1000 rows
	// <nil>
	// 144 <nil>
}
