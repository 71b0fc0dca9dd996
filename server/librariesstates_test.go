package server_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// moreOfTheLibrary is a feed that changes a reader, and has a session more.
func moreOfTheLibrary(i int) map[string]string {
	return map[string]string{
		"readers":  fmt.Sprintf(`{"userId":7,"name":"Ana %d","email":"ana@rede.example","libraryId":1,"ageGroupId":2,"city":"Belém","state":"PA","ra":"Norte","gender":"Feminino","registeredAt":"2026-08-01","status":"active","deletedAt":null,"updatedAt":"2026-09-1%dT12:00:00Z","confirmedAt":null,"lastSignInAt":null}`, i, i),
		"sessions": fmt.Sprintf(`{"sessionId":"more %d","userId":7,"bookId":10,"startedAt":"2026-09-0%dT11:00:00-03:00","seconds":600,"mode":"online","format":"audiobook","progress":%d.5}`, i, i+2, 20+i),
	}
}

// TestLibrariesEarlierStates asks every route for the state before each of some loads: the same bytes as then, meta.updatedAt
// and the defaults of the period included.
func TestLibrariesEarlierStates(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		targets := libraryTargets()
		var then []map[string]*httptest.ResponseRecorder
		for i := range 3 {
			answers := map[string]*httptest.ResponseRecorder{}
			for _, target := range targets {
				answers[target] = n.get(n.key, target)
			}
			then = append(then, answers)
			n.clock.now = n.clock.now.Add(13 * time.Hour)
			n.load(moreOfTheLibrary(i))
		}
		for _, answers := range then {
			for target, want := range answers {
				same(t, target, n.get(n.key, with(target, "snapshot="+snapshotOf(t, want))), want)
			}
		}
		if now := n.get(n.key, librariesPrefix+"/users"); now.Body.String() == then[2][librariesPrefix+"/users"].Body.String() {
			t.Errorf("the loads changed nothing: %s", now.Body)
		}
	})
}
