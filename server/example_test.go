package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/server"
)

// A program with an HTTP server of its own mounts the APIs as a handler.
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
