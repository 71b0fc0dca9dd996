package erase_test

import (
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m, server.Schema()...) }
