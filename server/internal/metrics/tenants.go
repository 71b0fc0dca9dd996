package metrics

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Version is the state of a tenant's data.
type Version struct {
	Tenant           int64
	Kind, Reference  string
	Registers, Facts int64
	// Snapshot is the hour as which a library network's data took effect; the zero time before the first load, and for a
	// partner, which has none.
	Snapshot time.Time
}

// tenants collects the versions of the tenants' data.
type tenants struct {
	versions func(context.Context) ([]Version, error)

	mu   sync.Mutex
	last []Version
	at   time.Time
}

const (
	versionsAge     = 15 * time.Second
	versionsTimeout = 5 * time.Second
)

var (
	version = prometheus.NewDesc("lectern_data_version",
		"Version of a tenant's data: every load raises both, a write of the directory that of the registers.",
		[]string{"tenant", "kind", "reference", "data"}, nil)
	snapshot = prometheus.NewDesc("lectern_libraries_snapshot_timestamp_seconds",
		"Hour as which the data of a library network took effect. It stands still where loads do not come.",
		[]string{"tenant", "reference"}, nil)
)

// Describe implements prometheus.Collector.
func (t *tenants) Describe(ch chan<- *prometheus.Desc) {
	ch <- version
	ch <- snapshot
}

// Collect implements prometheus.Collector. Where the database does not answer the versions are left out, and the rest of
// the metrics stays.
func (t *tenants) Collect(ch chan<- prometheus.Metric) {
	for _, v := range t.present() {
		tenant := strconv.FormatInt(v.Tenant, 10)
		of := func(data string, n int64) prometheus.Metric {
			return prometheus.MustNewConstMetric(version, prometheus.CounterValue, float64(n), tenant, v.Kind, v.Reference, data)
		}
		ch <- of("registers", v.Registers)
		ch <- of("facts", v.Facts)
		if !v.Snapshot.IsZero() {
			ch <- prometheus.MustNewConstMetric(snapshot, prometheus.GaugeValue, float64(v.Snapshot.Unix()), tenant, v.Reference)
		}
	}
}

// present returns the versions, read anew when they are old.
func (t *tenants) present() []Version {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.at) < versionsAge {
		return t.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionsTimeout)
	defer cancel()
	list, err := t.versions(ctx)
	if err != nil {
		return nil
	}
	t.last, t.at = list, time.Now()
	return list
}
