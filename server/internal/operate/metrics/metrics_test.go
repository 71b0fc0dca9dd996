package metrics_test

import (
	"bufio"
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/cache"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/operate/metrics"
)

// newMetrics returns the metrics of a process on an empty database.
func newMetrics(t *testing.T, versions func(context.Context) (metrics.Versions, error)) *metrics.Metrics {
	t.Helper()
	db, err := database.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return metrics.New(db.Pool(), cache.New(1<<20), versions)
}

// scrape returns the value of every line of the metrics.
func scrape(t *testing.T, m *metrics.Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("metrics = %d %s, want 200", w.Code, w.Body)
	}
	values := map[string]float64{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		name, value, ok := cutLast(lines.Text())
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("line %q: %v", lines.Text(), err)
		}
		values[name] = n
	}
	return values
}

// cutLast cuts a line at its last space.
func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

func none(context.Context) (metrics.Versions, error) { return metrics.Versions{}, nil }

func TestObserve(t *testing.T) {
	m := newMetrics(t, none)
	m.Observe(web.Observed{Method: "GET", Route: "/v1/users", Status: 200, Took: 3 * time.Millisecond})
	m.Observe(web.Observed{Method: "GET", Route: "/v1/users", Status: 200, Took: 400 * time.Millisecond})
	m.Observe(web.Observed{Method: "GET", Status: 404, Took: time.Millisecond})
	got := scrape(t, m)
	for name, want := range map[string]float64{
		`lectern_http_request_duration_seconds_count{method="GET",route="/v1/users",status="200"}`:             2,
		`lectern_http_request_duration_seconds_sum{method="GET",route="/v1/users",status="200"}`:               0.403,
		`lectern_http_request_duration_seconds_bucket{method="GET",route="/v1/users",status="200",le="0.002"}`: 0,
		`lectern_http_request_duration_seconds_bucket{method="GET",route="/v1/users",status="200",le="0.005"}`: 1,
		`lectern_http_request_duration_seconds_bucket{method="GET",route="/v1/users",status="200",le="0.5"}`:   2,
		`lectern_http_request_duration_seconds_count{method="GET",route="",status="404"}`:                      1,
	} {
		if n, ok := got[name]; !ok || n != want {
			t.Errorf("%s = %v, %v, want %v", name, n, ok, want)
		}
	}
}

// TestRefused tests that an API without refusals shows 0. The first refusal is then visible as a rise.
func TestRefused(t *testing.T) {
	m := newMetrics(t, none)
	m.Refused("libraries")
	m.Refused("schools")()
	got := scrape(t, m)
	for api, want := range map[string]float64{"schools": 1, "libraries": 0} {
		if n, ok := got[`lectern_rate_refused_total{api="`+api+`"}`]; !ok || n != want {
			t.Errorf("refused by %s = %v, %v, want %v", api, n, ok, want)
		}
	}
}

// noon is a full hour.
var noon = time.Unix(1789491600, 0)

func statusOf(t snapshotdb.Tenant, h snapshotdb.Current, began time.Time) snapshotdb.TenantStatus {
	return snapshotdb.TenantStatus{Tenant: t, Current: h, Began: began}
}

func TestVersions(t *testing.T) {
	m := newMetrics(t, func(context.Context) (metrics.Versions, error) {
		began := noon.Add(-90 * time.Second)
		loaded := statusOf(snapshotdb.Tenant{ID: 5, Kind: snapshotdb.Partner, Reference: "oeste"}, snapshotdb.Current{}, time.Time{})
		loaded.Last = snapshotdb.LastLoad{Ended: noon.Add(-500 * time.Millisecond), Took: 2500 * time.Millisecond, Rows: 12}
		return metrics.Versions{Total: 12, Now: noon, Tenants: []snapshotdb.TenantStatus{
			loaded,
			statusOf(snapshotdb.Tenant{ID: 1, Kind: snapshotdb.Partner, Reference: `a"b`}, snapshotdb.Current{Versions: snapshot.Versions{Registers: 7, Facts: 5}, From: began}, began),
			statusOf(snapshotdb.Tenant{ID: 2, Kind: snapshotdb.Library, Reference: "norte"}, snapshotdb.Current{From: noon.Add(-time.Hour), Next: 2, NextFrom: noon}, time.Time{}),
			statusOf(snapshotdb.Tenant{ID: 3, Kind: snapshotdb.Library, Reference: "sul"}, snapshotdb.Current{}, noon.Add(time.Second)),
			statusOf(snapshotdb.Tenant{ID: 4, Kind: snapshotdb.Partner, Reference: "a\xff"}, snapshotdb.Current{}, time.Time{}),
		}}, nil
	})
	m.Kept(12, 2*time.Hour)
	got := scrape(t, m)
	for name, want := range map[string]float64{
		`lectern_data_version{data="registers",kind="partner",reference="a\"b",tenant="1"}`:        7,
		`lectern_data_version{data="facts",kind="partner",reference="a\"b",tenant="1"}`:            5,
		`lectern_data_version{data="facts",kind="library",reference="sul",tenant="3"}`:             0,
		`lectern_libraries_snapshot_timestamp_seconds{reference="norte",tenant="2"}`:               1789491600,
		"lectern_data_version{data=\"facts\",kind=\"partner\",reference=\"a\ufffd\",tenant=\"4\"}": 0,
		`lectern_data_version_tenants_left_out`:                                                    7,
		`lectern_snapshot_age_seconds{kind="partner",reference="a\"b",tenant="1"}`:                 90,
		`lectern_load_timestamp_seconds{kind="partner",reference="oeste",tenant="5"}`:              1789491599.5,
		`lectern_load_duration_seconds{kind="partner",reference="oeste",tenant="5"}`:               2.5,
		`lectern_load_rows{kind="partner",reference="oeste",tenant="5"}`:                           12,
		`lectern_superseded_rows`: 12,
		`lectern_keep_seconds`:    7200,
	} {
		if n, ok := got[name]; !ok || n != want {
			t.Errorf("%s = %v, %v, want %v", name, n, ok, want)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, "lectern_snapshot_age_seconds") && !strings.Contains(name, `tenant="1"`) {
			t.Errorf("%s is reported, want none for an unknown age", name)
		}
		if strings.HasPrefix(name, "lectern_load_") && !strings.Contains(name, `tenant="5"`) {
			t.Errorf("%s is reported, want none before the first load", name)
		}
		if strings.HasPrefix(name, "lectern_libraries_snapshot") && !strings.Contains(name, "norte") {
			t.Errorf("%s is reported, want none before the first load", name)
		}
	}
}

// TestVersionsAreGauges tests that a version is a gauge, since a restored database may set it back.
func TestVersionsAreGauges(t *testing.T) {
	m := newMetrics(t, func(context.Context) (metrics.Versions, error) {
		return metrics.Versions{Tenants: make([]snapshotdb.TenantStatus, 1)}, nil
	})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(w.Body.String(), "# TYPE lectern_data_version gauge\n") {
		t.Error("lectern_data_version is not a gauge")
	}
}

// TestVersionsUnknown tests that a database error leaves only the versions out, and that the next scrape asks again.
func TestVersionsUnknown(t *testing.T) {
	asked := 0
	m := newMetrics(t, func(context.Context) (metrics.Versions, error) {
		asked++
		return metrics.Versions{}, errors.New("no database")
	})
	for range 2 {
		got := scrape(t, m)
		if _, ok := got["lectern_cache_bytes"]; !ok {
			t.Error("the other metrics are missing too")
		}
		for name := range got {
			if strings.HasPrefix(name, "lectern_data_version") {
				t.Errorf("%s is reported, want no versions", name)
			}
		}
	}
	if asked != 2 {
		t.Errorf("two scrapes asked %d times, want twice", asked)
	}
}
