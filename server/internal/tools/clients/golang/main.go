//go:build clients

// Command golang pulls pages with the generated Go clients and prints sums of the rows as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	for _, pull := range []func(context.Context, *pulled) error{pullSchools, pullLibraries, pullDirectory} {
		if err := pull(ctx, &p); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	json.NewEncoder(os.Stdout).Encode(p)
}

// keyed returns a function that puts the key of an environment variable on a request.
func keyed(key string) func(context.Context, *http.Request) error {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Api-Key", os.Getenv(key))
		return nil
	}
}

// pages calls page for page after page until it has all rows.
func pages(page func(n int64) (rows int, total int64, err error)) error {
	var got int64
	for n := int64(1); ; n++ {
		rows, total, err := page(n)
		if err != nil {
			return err
		}
		if got += int64(rows); rows == 0 || got >= total {
			return nil
		}
	}
}

func pullSchools(ctx context.Context, p *pulled) error {
	c, err := schools.NewClientWithResponses(server, schools.WithRequestEditorFn(keyed("CLIENTS_SCHOOLS")))
	if err != nil {
		return err
	}
	size := int64(50)
	err = pages(func(n int64) (int, int64, error) {
		res, err := c.UsersWithResponse(ctx, &schools.UsersParams{Page: &n, PageSize: &size})
		if err != nil || res.JSON200 == nil {
			return 0, 0, fmt.Errorf("users: %w, %+v", err, res)
		}
		for _, u := range res.JSON200.Data.Rows {
			p.Users++
			if u.Class != nil {
				p.InClass++
			}
		}
		return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
	})
	if err != nil {
		return err
	}
	since := os.Getenv("CLIENTS_SINCE")
	changed, err := c.UsersWithResponse(ctx, &schools.UsersParams{ChangedSince: &since})
	if err != nil || changed.JSON200 == nil || changed.JSON200.Data.Removed == nil {
		return fmt.Errorf("users since: %w, %+v", err, changed)
	}
	for _, key := range *changed.JSON200.Data.Removed {
		p.Removed += key.UserId
	}
	none := int64(0)
	refused, err := c.UsersWithResponse(ctx, &schools.UsersParams{Page: &none, PageSize: &none})
	if err != nil || refused.JSON400 == nil {
		return fmt.Errorf("users of page 0: %w, %+v", err, refused)
	}
	messages, err := refused.JSON400.Message.AsErrorMessage1()
	if err != nil {
		return err
	}
	p.Refused = len(messages)
	return pages(func(n int64) (int, int64, error) {
		res, err := c.ReadingsWithResponse(ctx, &schools.ReadingsParams{Page: &n, PageSize: &size})
		if err != nil || res.JSON200 == nil {
			return 0, 0, fmt.Errorf("readings: %w, %+v", err, res)
		}
		for _, r := range res.JSON200.Data.Rows {
			p.Readings++
			p.Minutes += r.ReadingMinutes
			p.Percent += r.Percent
		}
		return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
	})
}

func pullLibraries(ctx context.Context, p *pulled) error {
	c, err := libraries.NewClientWithResponses(server, libraries.WithRequestEditorFn(keyed("CLIENTS_LIBRARIES")))
	if err != nil {
		return err
	}
	size := int64(20)
	return pages(func(n int64) (int, int64, error) {
		res, err := c.StockWithResponse(ctx, &libraries.StockParams{Page: &n, PageSize: &size})
		if err != nil || res.JSON200 == nil {
			return 0, 0, fmt.Errorf("stock: %w, %+v", err, res)
		}
		for _, t := range res.JSON200.Data.Rows {
			p.Titles++
			p.Share += t.Percentage
		}
		return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
	})
}

func pullDirectory(ctx context.Context, p *pulled) error {
	c, err := directory.NewClientWithResponses(server, directory.WithRequestEditorFn(sign))
	if err != nil {
		return err
	}
	var after *string
	for {
		res, err := c.ListEntitiesWithResponse(ctx, &directory.ListEntitiesParams{EntityType: "class", After: after})
		if err != nil || res.JSON200 == nil {
			return fmt.Errorf("classes: %w, %+v", err, res)
		}
		p.Classes += len(res.JSON200.Entries)
		if after = res.JSON200.Metadata.After; after == nil {
			return nil
		}
	}
}

// sign signs a GET.
func sign(_ context.Context, r *http.Request) error {
	signing.Sign(r, nil, os.Getenv("CLIENTS_KEY_ID"), os.Getenv("CLIENTS_SECRET"))
	return nil
}
