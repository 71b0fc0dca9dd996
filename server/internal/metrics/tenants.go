package metrics

import (
	"context"
	"strconv"
	"strings"
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
	// Age is how long the state has held; 0 where that is not known.
	Age time.Duration
}

// MaxTenants is how many tenants have series of their own: what scrapes keeps every one of them.
const MaxTenants = 1000

// Versions are the states of the data of MaxTenants tenants, those loaded last, and how many others there are.
type Versions struct {
	Of      []Version
	LeftOut int
}

// tenants collects the versions of the tenants' data.
type tenants struct {
	versions func(context.Context) (Versions, error)

	mu   sync.Mutex
	last Versions
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
	leftOut = prometheus.NewDesc("lectern_data_version_tenants_left_out",
		"Tenants without a data version here, since "+strconv.Itoa(MaxTenants)+" others were loaded later.", nil, nil)
	snapshot = prometheus.NewDesc("lectern_libraries_snapshot_timestamp_seconds",
		"Hour as which the data of a library network took effect. It stands still where loads do not come.",
		[]string{"tenant", "reference"}, nil)
	stateAge = prometheus.NewDesc("lectern_state_age_seconds",
		"How long the state of a tenant's data that is served has held.",
		[]string{"tenant", "kind", "reference"}, nil)
)

// Describe implements prometheus.Collector.
func (t *tenants) Describe(ch chan<- *prometheus.Desc) {
	ch <- version
	ch <- leftOut
	ch <- snapshot
	ch <- stateAge
}

// Collect implements prometheus.Collector. What the database does not answer is left out, and the rest of the metrics stays.
func (t *tenants) Collect(ch chan<- prometheus.Metric) {
	present, ok := t.present()
	if !ok {
		return
	}
	ch <- prometheus.MustNewConstMetric(leftOut, prometheus.GaugeValue, float64(present.LeftOut))
	for _, v := range present.Of {
		tenant, reference := strconv.FormatInt(v.Tenant, 10), strings.ToValidUTF8(v.Reference, "\ufffd")
		of := func(data string, n int64) prometheus.Metric {
			return prometheus.MustNewConstMetric(version, prometheus.GaugeValue, float64(n), tenant, v.Kind, reference, data)
		}
		ch <- of("registers", v.Registers)
		ch <- of("facts", v.Facts)
		if v.Age > 0 {
			ch <- prometheus.MustNewConstMetric(stateAge, prometheus.GaugeValue, v.Age.Seconds(), tenant, v.Kind, reference)
		}
		if !v.Snapshot.IsZero() {
			ch <- prometheus.MustNewConstMetric(snapshot, prometheus.GaugeValue, float64(v.Snapshot.Unix()), tenant, reference)
		}
	}
}

// present returns the versions, read anew when they are old. Of a reading that failed half-way it returns what there is, and
// the next call reads again; ok is false where there is nothing.
func (t *tenants) present() (v Versions, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.at) < versionsAge {
		return t.last, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionsTimeout)
	defer cancel()
	v, err := t.versions(ctx)
	if err != nil {
		return v, len(v.Of) > 0
	}
	t.last, t.at = v, time.Now()
	return v, true
}
