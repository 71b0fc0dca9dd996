package librariesdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
)

// ChannelAnswer returns the stored answer of an analytics source to a question, or false if there is none (L13).
func (s *Store) ChannelAnswer(ctx context.Context, q report.ChannelQuestion) (data []byte, found bool, err error) {
	err = s.DB.QueryRowContext(ctx, `
		SELECT data
		  FROM libraries_channel_answers
		 WHERE tenant_id = ? AND hour = ? AND first_day = ? AND last_day = ?`,
		q.Network, int32(q.Hour), int32(q.Period.Start), int32(q.Period.End)).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read a channels answer of network %d: %w", q.Network, err)
	}
	return data, true, nil
}

// KeepChannelAnswer stores an answer to a question and returns the one to serve. If several servers store one at the same
// time, all serve the first. It deletes the network's answers that are older than a day.
//
// On SQLite it fails after a second if something else is writing.
func (s *Store) KeepChannelAnswer(ctx context.Context, q report.ChannelQuestion, data []byte) ([]byte, error) {
	if err := s.keepChannelAnswer(ctx, q, data); err != nil {
		return nil, fmt.Errorf("keep a channels answer of network %d: %w", q.Network, err)
	}
	kept, found, err := s.ChannelAnswer(ctx, q)
	if err == nil && !found { // a server that is already in the next hour has deleted it
		kept = data
	}
	return kept, err
}

func (s *Store) keepChannelAnswer(ctx context.Context, q report.ChannelQuestion, data []byte) error {
	if !handle.Postgres(s.DB) { // PostgreSQL locks only these rows, and nobody locks them for long
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	_, err := s.DB.NewRaw(`
		INSERT INTO libraries_channel_answers (tenant_id, hour, first_day, last_day, data)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (tenant_id, hour, first_day, last_day) DO NOTHING`,
		q.Network, int32(q.Hour), int32(q.Period.Start), int32(q.Period.End), data).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = s.DB.NewRaw(`DELETE FROM libraries_channel_answers WHERE tenant_id = ? AND hour < ?`, q.Network, int32(q.Hour)-answerHours).Exec(ctx)
	return err
}

// answerHours is how many hours an answer is stored: no pull takes longer (H12).
const answerHours = 24

// patience is how long an answer waits for another writer on SQLite.
const patience = time.Second
