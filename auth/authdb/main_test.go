package authdb_test

import (
	"testing"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m, authdb.Migrations) }
