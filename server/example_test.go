package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// This example mounts the APIs as a handler in a program that has its own HTTP server.
func ExampleServer_Handler() {
	dir, err := os.MkdirTemp("", "lectern-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := server.New(context.Background(), server.Config{URL: "sqlite:" + filepath.Join(dir, "lectern.db")})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/api-platform/schools/v1/users", nil))
	fmt.Println(w.Body)
	// Output: {"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}
}

// This example loads a feed, here from files in memory, and prints how many of its rows were new.
func ExampleLoad() {
	ctx := context.Background()
	db, err := database.OpenToLoad(ctx, "sqlite::memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := server.Migrate(ctx, db); err != nil {
		log.Fatal(err)
	}
	id, err := directorydb.CreatePartner(ctx, db, "acme", "Acme")
	if err != nil {
		log.Fatal(err)
	}
	partner := snapshotdb.Tenant{Kind: snapshotdb.Partner, ID: auth.Tenant(id), Reference: "acme"}

	files := fstest.MapFS{
		"entities.ndjson": {Data: []byte(`{"referenceId":"rede","entityType":"network","name":"Rede","degree":"F"}`)},
		"accounts.ndjson": {Data: []byte(`{"referenceId":"ana","kind":"reader","name":"Ana","entityReferenceId":"rede","active":true}`)},
		"books.csv":       {Data: []byte("bookId,title,length\n1,Iracema,100\n")},
		"segments.ndjson": {Data: []byte(`
{"segmentId":"s1","account":"ana","bookId":1,"startedAt":"2026-08-03T12:00:00Z","durationMs":60000,"from":0,"to":50,"wpm":90}
{"segmentId":"s2","account":"ana","bookId":1,"startedAt":"2026-08-04T12:00:00Z","durationMs":60000,"from":50,"to":60,"wpm":90}`)},
	}
	now := func() time.Time { return time.Date(2026, 8, 5, 12, 0, 0, 0, time.UTC) }
	for range 2 {
		totals, err := server.Load(ctx, db, partner, files, server.LoadOptions{Now: now}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(totals.File("segments").Rows, "segments;", totals.New, "new,", totals.Repeated, "loaded before")
	}
	// Output:
	// 2 segments; 2 new, 0 loaded before
	// 2 segments; 0 new, 2 loaded before
}
