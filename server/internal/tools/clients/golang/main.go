//go:build clients

// Command golang pulls pages with the generated Go clients and prints what it summed.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/oapi-codegen/runtime/types"

	"github.com/lectern-dev/lectern/server/internal/tools/clients/golang/gen/directory"
	"github.com/lectern-dev/lectern/server/internal/tools/clients/golang/gen/libraries"
	"github.com/lectern-dev/lectern/server/internal/tools/clients/golang/gen/schools"
	"github.com/lectern-dev/lectern/server/internal/tools/clients/signing"
)

// pulled is what is printed.
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
	Removed  int64   `json:"removed"` // the sum of the keys of users who have left
	Lists    []int64 `json:"lists"`   // the rows of all other lists: engagements of the schools, then those of the libraries
}

var server = os.Getenv("CLIENTS_URL")

// day returns the day of a variable.
func day(name string) (d types.Date) {
	if err := d.UnmarshalText([]byte(os.Getenv(name))); err != nil {
		panic(err)
	}
	return d
}

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

// keyed puts a key on a request.
func keyed(key string) func(context.Context, *http.Request) error {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Api-Key", os.Getenv(key))
		return nil
	}
}

// pages calls page for each page, until it has all rows.
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
	err = pages(func(n int64) (int, int64, error) {
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
	if err != nil {
		return err
	}
	return p.list(func(n int64) (int, int64, error) {
		res, err := c.EngagementsWithResponse(ctx, &schools.EngagementsParams{Page: &n, PageSize: &size})
		if err != nil || res.JSON200 == nil {
			return 0, 0, fmt.Errorf("engagements: %w, %+v", err, res)
		}
		return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
	})
}

// list pulls a list and keeps how many rows it has.
func (p *pulled) list(page func(n int64) (rows int, total int64, err error)) error {
	var all int64
	err := pages(func(n int64) (int, int64, error) {
		rows, total, err := page(n)
		all += int64(rows)
		return rows, total, err
	})
	p.Lists = append(p.Lists, all)
	return err
}

func pullLibraries(ctx context.Context, p *pulled) error {
	c, err := libraries.NewClientWithResponses(server, libraries.WithRequestEditorFn(keyed("CLIENTS_LIBRARIES")))
	if err != nil {
		return err
	}
	size := int64(20)
	err = pages(func(n int64) (int, int64, error) {
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
	if err != nil {
		return err
	}
	for _, page := range []func(n int64) (int, int64, error){
		func(n int64) (int, int64, error) {
			res, err := c.LibraryEngagementsWithResponse(ctx, &libraries.LibraryEngagementsParams{Page: &n, PageSize: &size, StartDate: day("CLIENTS_FROM"), EndDate: day("CLIENTS_TO")})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("engagements: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.ReadersWithResponse(ctx, &libraries.ReadersParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("readers: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.BooksWithResponse(ctx, &libraries.BooksParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("books: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.LoansWithResponse(ctx, &libraries.LoansParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("loans: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.ReservationsWithResponse(ctx, &libraries.ReservationsParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("reservations: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.LoginsWithResponse(ctx, &libraries.LoginsParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("logins: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.SuggestionsWithResponse(ctx, &libraries.SuggestionsParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("suggestions: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
		func(n int64) (int, int64, error) {
			res, err := c.SuggestionRequestsWithResponse(ctx, &libraries.SuggestionRequestsParams{Page: &n, PageSize: &size})
			if err != nil || res.JSON200 == nil {
				return 0, 0, fmt.Errorf("suggestionRequests: %w, %+v", err, res)
			}
			return len(res.JSON200.Data.Rows), res.JSON200.Meta.Page.TotalRows, nil
		},
	} {
		if err := p.list(page); err != nil {
			return err
		}
	}
	res, err := c.ChannelsWithResponse(ctx, &libraries.ChannelsParams{}) // not paged
	if err != nil || res.JSON200 == nil {
		return fmt.Errorf("channels: %w, %+v", err, res)
	}
	p.Lists = append(p.Lists, int64(len(res.JSON200.Data.Rows)))
	return nil
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
