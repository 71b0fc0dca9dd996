// Pull writes a year of a network's readings as CSV, page by page. All pages are of the first page's snapshot, whatever is loaded
// during the pull. When the key's requests are used up, it waits:
//
//	go run ./examples/pull -key KEY -year 2026 http://127.0.0.1:8080 > readings.csv
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

var (
	key  = flag.String("key", "", "the schools key")
	year = flag.Int("year", time.Now().Year(), "the year to pull")
	size = flag.Int("size", 1000, "rows a page")
)

func main() {
	flag.Parse()
	if err := pull(flag.Arg(0), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func pull(base string, w io.Writer) error {
	snapshot := ""
	for page, total := 1, 1; (page-1)**size < total; page++ {
		rows, head, err := get(fmt.Sprintf("%s/api-platform/schools/v1/readings?startDate=%d-01-01&endDate=%d-12-31&page=%d&pageSize=%d%s",
			base, *year, *year, page, *size, snapshot))
		if err != nil {
			return err
		}
		if page == 1 {
			snapshot = "&snapshot=" + head.Get("X-Snapshot")
		} else {
			_, rows, _ = bytes.Cut(rows, []byte("\r\n")) // each page has the header line
		}
		if total, err = strconv.Atoi(head.Get("X-Total-Rows")); err != nil {
			return err
		}
		if _, err := w.Write(rows); err != nil {
			return err
		}
	}
	return nil
}

// get returns the rows and the headers of a page. After a 429 it waits for the time in Retry-After and requests the page again.
func get(url string) (rows []byte, head http.Header, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("X-Api-Key", *key)
	req.Header.Set("Accept", "text/csv")
	for {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, nil, err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if wait, _ := strconv.Atoi(res.Header.Get("Retry-After")); res.StatusCode == http.StatusTooManyRequests && wait > 0 {
			time.Sleep(time.Duration(wait) * time.Second)
			continue
		}
		if err == nil && res.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", res.Status, body) // 410: the snapshot is no longer kept, pull again
		}
		return body, res.Header, err
	}
}
