package generate_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

func ExampleSchools() {
	dir, err := os.MkdirTemp("", "feed")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sum, err := generate.Schools(context.Background(), dir, generate.Params{Users: 1000, Days: 7, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum["schools"], "schools,", sum["classes"], "classes,", sum["accounts"], "accounts")
	// Output:
	// 2 schools, 36 classes, 1000 accounts
}

func ExampleLibraries() {
	dir, err := os.MkdirTemp("", "feed")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sum, err := generate.Libraries(context.Background(), dir, generate.Params{Users: 500, Days: 30, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum["libraries"], "libraries,", sum["books"], "titles,", sum["readers"], "readers")
	// Output:
	// 4 libraries, 200 titles, 500 readers
}
