package librariesdb_test

import (
	"testing"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m, snapshotdb.Migrations, librariesdb.Migrations) }
