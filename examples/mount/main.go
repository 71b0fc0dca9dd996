// Mount serves the APIs inside a program with its own mux, its own pages and its own pool of connections.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

func main() {
	file := must(os.CreateTemp("", "mount-*.db")).Name()
	defer os.Remove(file)
	pool := must(sql.Open("sqlite", "file:"+file+"?_time_format=sqlite&_txlock=immediate&_pragma=busy_timeout(5000)"))
	defer pool.Close()
	db := must(database.OnPool(pool, "sqlite:"+file)) // or sql.Open("pgx", url), and OnPool(pool, url)
	lectern := must(server.New(context.Background(), server.Config{DB: db}))
	go lectern.Maintain(context.Background()) // removes superseded data every minute

	mux := http.NewServeMux()
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "our page") })
	mux.Handle("/", lectern.Handler()) // the APIs, and 404 for other paths
	for _, path := range []string{"/about", "/api-platform/schools/v1/users", "/api/v2/partners/entities", "/elsewhere"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, path)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
