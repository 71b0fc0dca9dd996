// Command feed writes a generated feed.
//
//	go run ./server/internal/tools/generate/feed -users 10000 -days 365 schools FOLDER
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

func main() {
	log.SetFlags(0)
	var p generate.Params
	flag.IntVar(&p.Users, "users", 1000, "number of users")
	flag.IntVar(&p.Days, "days", 30, "number of days")
	flag.Uint64Var(&p.Seed, "seed", 1, "the same seed and sizes give the same bytes")
	flag.StringVar(&p.Format, "format", "ndjson", "ndjson or csv")
	flag.StringVar(&p.Compress, "compress", "", "zst, or nothing")
	first := flag.String("first", "", "first day, as YYYY-MM-DD (default: that of the history)")
	flag.Parse()
	write, ok := map[string]func(context.Context, string, generate.Params) (generate.Summary, error){"schools": generate.Schools, "libraries": generate.Libraries}[flag.Arg(0)]
	if !ok || flag.NArg() != 2 {
		log.Fatal("feed: give schools or libraries, and a folder")
	}
	if *first != "" {
		p.First = calendar.MustParse(*first)
	}
	sum, err := write(context.Background(), flag.Arg(1), p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum)
}
