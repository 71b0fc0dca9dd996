package metrics

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// MaxTenants is how many tenants have series of their own: Prometheus stores every one of them.
const MaxTenants = 1000

// Versions are the versions of the MaxTenants tenants that were loaded last, at a time, and the number of all tenants.
type Versions struct {
	Tenants []snapshotdb.TenantStatus
	Now     time.Time
	Total   int
}

// tenants is a collector of the versions that it returns.
type tenants func(context.Context) (Versions, error)

const versionsTimeout = 5 * time.Second

var (
	version = prometheus.NewDesc("lectern_data_version",
		"Version of a tenant's data: a load raises both, a directory write raises that of the registers.",
		[]string{"tenant", "kind", "reference", "data"}, nil)
	leftOut = prometheus.NewDesc("lectern_data_version_tenants_left_out",
		"Tenants without a data version here, because "+strconv.Itoa(MaxTenants)+" others were loaded later, or their rows could not be read.", nil, nil)
	snapshot = prometheus.NewDesc("lectern_libraries_snapshot_timestamp_seconds",
		"Hour at which the data of a library network took effect. It does not change without loads.",
		[]string{"tenant", "reference"}, nil)
	snapshotAge = prometheus.NewDesc("lectern_snapshot_age_seconds",
		"How long the snapshot of a tenant's data has been current.",
		[]string{"tenant", "kind", "reference"}, nil)
	loadEnded = prometheus.NewDesc("lectern_load_timestamp_seconds",
		"When the last successful load of a tenant's data ended.",
		[]string{"tenant", "kind", "reference"}, nil)
	loadTook = prometheus.NewDesc("lectern_load_duration_seconds",
		"How long the last successful load took.",
		[]string{"tenant", "kind", "reference"}, nil)
	loadRows = prometheus.NewDesc("lectern_load_rows",
		"Rows that the last successful load read, from all files.",
		[]string{"tenant", "kind", "reference"}, nil)
)

// Describe implements prometheus.Collector. It describes nothing, so that registration does not read the tenants.
func (tenants) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector. If the database does not answer, it leaves its series out, and the other metrics are
// served.
func (versions tenants) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), versionsTimeout)
	defer cancel()
	present, err := versions(ctx)
	if err != nil {
		return
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(leftOut, float64(present.Total-len(present.Tenants)))
	for _, v := range present.Tenants {
		tenant, kind, reference := strconv.FormatInt(int64(v.ID), 10), string(v.Kind), strings.ToValidUTF8(v.Reference, "\ufffd")
		gauge(version, float64(v.Registers), tenant, kind, reference, "registers")
		gauge(version, float64(v.Facts), tenant, kind, reference, "facts")
		if age := present.Now.Sub(v.Began); !v.Began.IsZero() && age > 0 {
			gauge(snapshotAge, age.Seconds(), tenant, kind, reference)
		}
		if l := v.Last; !l.Ended.IsZero() {
			gauge(loadEnded, float64(l.Ended.UnixMilli())/1000, tenant, kind, reference)
			gauge(loadTook, l.Took.Seconds(), tenant, kind, reference)
			gauge(loadRows, float64(l.Rows), tenant, kind, reference)
		}
		if from := v.At(present.Now).From; v.Kind == snapshotdb.Library && !from.IsZero() {
			gauge(snapshot, float64(libraries.HourOf(from).Time().Unix()), tenant, reference)
		}
	}
}
