// Mount serves the APIs inside of a program that has a mux, pages and middleware of its own.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/lectern-dev/lectern/server"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	lectern, err := server.New(ctx, server.Config{URL: "sqlite::memory:"}) // or a file, or PostgreSQL
	if err != nil {
		return err
	}
	defer lectern.Close()

	ctx, stop := context.WithCancel(ctx)
	var maintained sync.WaitGroup
	defer maintained.Wait()
	defer stop()
	maintained.Go(func() { lectern.Maintain(ctx) }) // removes superseded data

	mux := http.NewServeMux()
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a page of our own") })
	mux.Handle("/", lectern.Handler()) // it answers for the paths of the APIs, and 404 elsewhere
	site := httptest.NewServer(named(mux))
	defer site.Close()

	for _, path := range []string{"/about", "/api-platform/schools/v1/users", "/api/v2/partners/entities", "/elsewhere"} {
		if err := show(site.URL, path); err != nil {
			return err
		}
	}
	return nil
}

// named is middleware of the program's own: every answer, those of the APIs too, says who gave it.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Served-By", "our program")
		next.ServeHTTP(w, r)
	})
}

// show calls a path, without a key, and prints the answer.
func show(base, path string) error {
	res, err := http.Get(base + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode, path, "from", res.Header.Get("X-Served-By"))
	return nil
}
