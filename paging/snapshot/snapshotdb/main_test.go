package snapshotdb_test

import (
	"testing"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m, snapshotdb.Migrations) }
