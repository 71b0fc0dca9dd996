package main

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	states "github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// stateStatus is what is told of a tenant's states.
type stateStatus struct {
	Kept       int64      `json:"kept"`       // that can be read, the present one with them
	Oldest     *time.Time `json:"oldest"`     // when the oldest of them began; null where that is not known
	FormerRows int64      `json:"formerRows"` // that the present one has not: they are kept, or wait to be removed
}

// nextStatus is what waits for its hour.
type nextStatus struct {
	Facts int64     `json:"facts"`
	From  time.Time `json:"from"`
}

// nextOf tells what waits for its hour, nil where nothing does.
func nextOf(h authdb.Held) *nextStatus {
	if h.Next == 0 {
		return nil
	}
	return &nextStatus{h.Next, h.NextFrom}
}

// keptStates reads what is told of a tenant's states.
func keptStates(ctx context.Context, tx bun.Tx, db *database.DB, t auth.Tenant, h authdb.Held) (st stateStatus, err error) {
	var began int64
	err = tx.NewRaw(`SELECT count(*), coalesce(min(began), 0) FROM states WHERE tenant_id = ? AND registers >= ? AND facts >= ?`,
		t, h.Oldest.Registers, h.Oldest.Facts).Scan(ctx, &st.Kept, &began)
	if err != nil {
		return st, fmt.Errorf("count states: %w", err)
	}
	if began > 0 {
		oldest := time.UnixMicro(began).UTC().Truncate(time.Second)
		st.Oldest = &oldest
	}
	st.FormerRows, err = server.Remover(db, nil).FormerRows(ctx, tx, states.Tenant(t))
	return st, err
}

// String writes what there is besides the present state: "3 states since 2026-11-21T17:00Z with 120 former rows".
func (st stateStatus) String() string {
	if st.Kept < 2 && st.FormerRows == 0 {
		return ""
	}
	text := fmt.Sprint(st.Kept, " states")
	if st.Kept == 1 {
		text = "1 state"
	}
	if st.Oldest != nil {
		text += " since " + minute(st.Oldest)
	}
	return text + fmt.Sprint(" with ", st.FormerRows, " former rows")
}
