package librariesdb_test

import (
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestStatistics tests that SQLite's planner has statistics of loans and reservations, each of an index that exists.
func TestStatistics(t *testing.T) {
	db := dbtest.SQLite(t)
	loaders(t, db, "city")
	var known, unknown int
	err := db.NewRaw(`
		SELECT count(s.name), count(*) - count(s.name)
		  FROM sqlite_stat1 LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = idx AND s.tbl_name = tbl`).Scan(t.Context(), &known, &unknown)
	if err != nil || known != 8 || unknown != 0 {
		t.Errorf("statistics of %d indexes and %d unknown ones, %v, want 8 and none", known, unknown, err)
	}
}
