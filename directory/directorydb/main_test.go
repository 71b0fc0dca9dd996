package directorydb_test

import (
	"testing"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestMain(m *testing.M) {
	dbtest.Main(m, authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations)
}
