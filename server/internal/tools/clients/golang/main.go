//go:build clients

// Command golang pulls pages with the generated Go clients and prints sums of the rows as JSON. An unexpected response
// ends it.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/lectern-dev/lectern/server/internal/tools/clients/golang/gen/directory"
	"github.com/lectern-dev/lectern/server/internal/tools/clients/golang/gen/libraries"
	"github.com/lectern-dev/lectern/server/internal/tools/clients/golang/gen/schools"
	"github.com/lectern-dev/lectern/server/internal/tools/clients/signing"
)

// pulled has the sums that the program prints.
type pulled struct {
	Users    int     `json:"users"`
	InClass  int     `json:"inClass"` // users whose class is not null
	Readings int     `json:"readings"`
	Minutes  float64 `json:"minutes"`
	Percent  float64 `json:"percent"`
	Titles   int     `json:"titles"`
	Share    float64 `json:"share"`
	Classes  int     `json:"classes"`
	Refused  int     `json:"refused"` // messages of an error
	Removed  int64   `json:"removed"` // the sum of the keys of users who are no longer in the list
}

var server = os.Getenv("CLIENTS_URL")

func main() {
	var p pulled
	ctx := context.Background()
	pullSchools(ctx, &p)
	pullLibraries(ctx, &p)
	pullDirectory(ctx, &p)
	check(json.NewEncoder(os.Stdout).Encode(p))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// keyed returns a function that adds the key in an environment variable to a request.
func keyed(key string) func(context.Context, *http.Request) error {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Api-Key", os.Getenv(key))
		return nil
	}
}

// pages calls page for one page after another until it has all rows.
func pages(page func(n int64) (rows int, total int64)) {
	for n, got := int64(1), int64(0); ; n++ {
		rows, total := page(n)
		if got += int64(rows); rows == 0 || got >= total {
			return
		}
	}
}

func pullSchools(ctx context.Context, p *pulled) {
	c := must(schools.NewClientWithResponses(server, schools.WithRequestEditorFn(keyed("CLIENTS_SCHOOLS"))))
	size := int64(50)
	pages(func(n int64) (int, int64) {
		users := must(c.UsersWithResponse(ctx, &schools.UsersParams{Page: &n, PageSize: &size})).JSON200
		for _, u := range users.Data.Rows {
			p.Users++
			if u.Class != nil {
				p.InClass++
			}
		}
		return len(users.Data.Rows), users.Meta.Page.TotalRows
	})
	since := os.Getenv("CLIENTS_SINCE")
	for _, key := range *must(c.UsersWithResponse(ctx, &schools.UsersParams{ChangedSince: &since})).JSON200.Data.Removed {
		p.Removed += key.UserId
	}
	none := int64(0)
	refused := must(c.UsersWithResponse(ctx, &schools.UsersParams{Page: &none, PageSize: &none})).JSON400
	p.Refused = len(must(refused.Message.AsErrorMessage1()))
	pages(func(n int64) (int, int64) {
		readings := must(c.ReadingsWithResponse(ctx, &schools.ReadingsParams{Page: &n, PageSize: &size})).JSON200
		for _, r := range readings.Data.Rows {
			p.Readings++
			p.Minutes += r.ReadingMinutes
			p.Percent += r.Percent
		}
		return len(readings.Data.Rows), readings.Meta.Page.TotalRows
	})
}

func pullLibraries(ctx context.Context, p *pulled) {
	c := must(libraries.NewClientWithResponses(server, libraries.WithRequestEditorFn(keyed("CLIENTS_LIBRARIES"))))
	size := int64(20)
	pages(func(n int64) (int, int64) {
		stock := must(c.StockWithResponse(ctx, &libraries.StockParams{Page: &n, PageSize: &size})).JSON200
		for _, t := range stock.Data.Rows {
			p.Titles++
			p.Share += t.Percentage
		}
		return len(stock.Data.Rows), stock.Meta.Page.TotalRows
	})
}

func pullDirectory(ctx context.Context, p *pulled) {
	c := must(directory.NewClientWithResponses(server, directory.WithRequestEditorFn(sign)))
	for after := new(string); after != nil; {
		classes := must(c.ListEntitiesWithResponse(ctx, &directory.ListEntitiesParams{EntityType: "class", After: after})).JSON200
		p.Classes += len(classes.Entries)
		after = classes.Metadata.After
	}
}

// sign signs a GET.
func sign(_ context.Context, r *http.Request) error {
	signing.Sign(r, nil, os.Getenv("CLIENTS_KEY_ID"), os.Getenv("CLIENTS_SECRET"))
	return nil
}
