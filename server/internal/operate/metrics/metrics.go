// Package metrics counts what one process does, for Prometheus: requests by route and status with their latency, requests that
// the rate refused, the cache, the database's connections, and the versions of the tenants' data, which show a load that did not
// come.
//
//	m := metrics.New(db.Pool(), cache, versions)
//	limit := web.Limit{Limiter: limiter, Rate: 30, Refused: m.Refused("schools")}
//	handler := web.AccessLog(m.Observe)(handler)
//	admin.Handle("/metrics", m.Handler())
//
// A label never has text that a client sent, nor the name of a person: routes are patterns, and tenants are known by their number
// and by the reference that the operator gave them.
package metrics

import (
	"context"
	"database/sql"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/internal/api/cache"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// Metrics are the measurements of one process. Make them with New.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.HistogramVec
	refused    *prometheus.CounterVec
	superseded prometheus.Gauge
	keep       prometheus.Gauge
	database   prometheus.Histogram
}

// New returns the metrics of a process with a database and a cache. versions returns the versions of the tenants' data; it is
// called at each scrape, for at most 5 seconds.
func New(db *sql.DB, cache *cache.Cache, versions func(context.Context) (Versions, error)) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "lectern_http_request_duration_seconds",
			Help:    "Requests by route and status, and how long they took. An unknown path has no route.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"method", "route", "status"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lectern_rate_refused_total",
			Help: "Requests that the rate of a key or a library network refused, by API.",
		}, []string{"api"}),
		superseded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "lectern_superseded_rows",
			Help: "Superseded rows of all tenants, when the server last looked for rows to remove.",
		}),
		keep: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "lectern_keep_seconds",
			Help: "How long a superseded snapshot stays readable, when the server last looked for rows to remove.",
		}),
		database: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "lectern_database_statement_duration_seconds",
			Help:    "Statements of the process, and how long each took.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .5, 1, 5},
		}),
	}
	m.registry.MustRegister(
		m.requests, m.refused, m.superseded, m.keep, m.database,
		gauge("lectern_cache_bytes", "About how many bytes the cache of the reports holds.", func() float64 { return float64(cache.Bytes()) }),
		counter("lectern_cache_warm_total", "Values that the reports found in the cache.", func() float64 { had, _ := cache.Loads(); return float64(had) }),
		counter("lectern_cache_cold_total", "Values that the reports had to make.", func() float64 { _, made := cache.Loads(); return float64(made) }),
		collectors.NewDBStatsCollector(db, "lectern"),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		tenants(versions),
	)
	return m
}

func gauge(name, help string, f func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f)
}

func counter(name, help string, f func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, f)
}

// Kept notes how many superseded rows removal has left, and the retention.
func (m *Metrics) Kept(rows int64, keep time.Duration) {
	m.superseded.Set(float64(rows))
	m.keep.Set(keep.Seconds())
}

// Observe counts a request.
func (m *Metrics) Observe(r web.Observed) {
	m.requests.WithLabelValues(r.Method, r.Route, strconv.Itoa(r.Status)).Observe(r.Took.Seconds())
}

// BeforeQuery implements bun.QueryHook.
func (m *Metrics) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

// AfterQuery implements bun.QueryHook: it counts a statement of the database.
func (m *Metrics) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	m.database.Observe(time.Since(e.StartTime).Seconds())
}

// Refused returns a function that counts a request which the rate of an API refuses.
func (m *Metrics) Refused(api string) func() { return m.refused.WithLabelValues(api).Inc }

// Handler serves the metrics. If one fails, the others are served.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}
