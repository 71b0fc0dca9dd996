package librariesdb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/libraries"
)

// table is a table that a load replaces rows of. A row's key, besides the network, is its id, or its group and its id.
type table struct {
	name      string
	group, id bun.Ident // group is empty where there is none
	columns   []string
}

var (
	termsTable        = table{"libraries_terms", "vocabulary", "term_id", termColumns}
	booksTable        = table{"libraries_books", "", "book_id", bookColumns}
	linesTable        = table{"libraries_lines", "", "line_id", lineColumns}
	channelsTable     = table{"libraries_channels", "channel", "day", channelColumns}
	readersTable      = table{"libraries_readers", "", "user_id", readerColumns}
	attributesTable   = table{"libraries_attributes", "", "block", columns("tenant_id, block, data")}
	shelvesTable      = table{"libraries_shelves", "", "user_id", columns("tenant_id, user_id, data")}
	seenTable         = table{"libraries_seen", "block", "readers", columns("tenant_id, block, readers, data")}
	daysTable         = table{"libraries_days", "", "day", columns("tenant_id, day, totals, readers, titles, logins")}
	loansTable        = table{"libraries_loans", "day", "loan_id", loanColumns}
	reservationsTable = table{"libraries_reservations", "day", "reservation_id", reservationColumns}
	requestsTable     = table{"libraries_requests", "day", "request_id", requestColumns}
)

// key is that of a row; group is 0 in a table without groups.
type key struct{ group, id int64 }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.group, o.group), cmp.Compare(k.id, o.id))
}

// forget deletes the rows of the keys, which it sorts.
func (l *load) forget(ctx context.Context, t table, keys []key) error {
	if l.empty {
		return nil
	}
	slices.SortFunc(keys, key.compare)
	return byGroup(keys, func(group int64, ids []int64) error {
		_, err := l.tx.NewRaw(`DELETE FROM ? WHERE tenant_id = ? AND ?`, bun.Ident(t.name), l.network, t.of(group, ids)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("replace rows of %s: %w", t.name, err)
		}
		return nil
	})
}

// of is the condition for rows of a group.
func (t table) of(group int64, ids []int64) schema.QueryWithArgs {
	if t.group == "" {
		return bun.SafeQuery("? IN (?)", t.id, bun.List(ids))
	}
	return bun.SafeQuery("? = ? AND ? IN (?)", t.group, group, t.id, bun.List(ids))
}

// byGroup calls f with the identifiers of each group, as many as one statement names; the keys ascend.
func byGroup(keys []key, f func(group int64, ids []int64) error) error {
	ids := make([]int64, 0, min(chunk, len(keys)))
	for len(keys) > 0 {
		ids = ids[:0]
		group := keys[0].group
		for len(keys) > 0 && keys[0].group == group && len(ids) < chunk {
			ids = append(ids, keys[0].id)
			keys = keys[1:]
		}
		if err := f(group, ids); err != nil {
			return err
		}
	}
	return nil
}

// put writes a row for each thing of a list.
func put[T any](ctx context.Context, l *load, t table, list []T, values func(libraries.NetworkID, T) []any) error {
	if len(list) == 0 {
		return nil
	}
	_, err := l.Copy(ctx, l.conn, t.name, t.columns, func(yield func([]any) bool) {
		for _, v := range list {
			if !yield(values(l.network, v)) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("write rows of %s: %w", t.name, err)
	}
	return nil
}

// replace writes a row for each thing of a list, in place of those of the same keys.
func replace[T any](ctx context.Context, l *load, t table, list []T, keyOf func(T) key, values func(libraries.NetworkID, T) []any) error {
	if err := l.forget(ctx, t, keys(list, keyOf)); err != nil {
		return err
	}
	return put(ctx, l, t, list, values)
}

func keys[T any](list []T, keyOf func(T) key) []key {
	keys := make([]key, len(list))
	for i, v := range list {
		keys[i] = keyOf(v)
	}
	return keys
}

// blob is a row that has only packed data besides its key.
type blob struct {
	key
	data []byte
}

func blobValues(n libraries.NetworkID, b blob) []any { return []any{int64(n), b.id, b.data} }

func groupedBlobValues(n libraries.NetworkID, b blob) []any {
	return []any{int64(n), b.group, b.id, b.data}
}
