package directorydb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
)

type partnerRow struct {
	bun.BaseModel `bun:"table:partners"`

	TenantID     directory.PartnerID `bun:",pk"`
	ReferenceID  directory.Ref
	Name         string
	LastEntityID directory.EntityID
	LastUserID   directory.UserID
}

// table is a table of the registers: each row has the partner, and a record that declares its fields.
type table[T any] struct {
	name, key string
	schema    row.Schema
	record    func(*T) row.Row
	columns   []string // of the record
	set       string   // what is replaced of a row that is written again
}

// newTable returns a table of records. Of a row that is written again the columns kept stay as they are.
func newTable[T any, R interface {
	*T
	row.Row
}](name, key string, kept ...string) *table[T] {
	t := &table[T]{name: name, key: key, schema: row.Of(R(new(T))), record: func(v *T) row.Row { return R(v) }}
	var set []string
	for _, f := range t.schema {
		column := f.Column()
		t.columns = append(t.columns, column)
		if column != key && !slices.Contains(kept, column) {
			set = append(set, column+" = EXCLUDED."+column)
		}
	}
	t.set = strings.Join(set, ", ")
	return t
}

// insert adds rows; of those that are stored it replaces what may be, where again says so. The statement is not built: bun
// takes rows of models alone, whose fields would be declared once more.
func (t *table[T]) insert(ctx context.Context, tx bun.IDB, partner directory.PartnerID, again bool, rows []T) error {
	conflict := bun.SafeQuery("")
	if again {
		conflict = bun.SafeQuery(`ON CONFLICT (tenant_id, ?) DO UPDATE SET `+t.set, bun.Ident(t.key))
	}
	for part := range slices.Chunk(rows, chunk) {
		values := make([]bun.TupleValues, len(part))
		for i := range part {
			all := t.schema.Values([]any{int64(partner)}, t.record(&part[i]))
			for j, v := range all {
				if v == nil {
					all[j] = bun.Safe("NULL") // bun writes no nil within a tuple
				}
			}
			values[i] = bun.Tuple(all)
		}
		_, err := tx.NewRaw(`INSERT INTO ? (tenant_id, `+strings.Join(t.columns, ", ")+`) VALUES ? ?`, bun.Ident(t.name), bun.List(values), conflict).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns directory.ErrText where a row has a text that cannot be stored.
func (t *table[T]) check(rows []T, number func(T) int64) error {
	var v textVisitor
	walk := t.schema.Look(&v)
	for i := range rows {
		if _ = walk.Over(t.record(&rows[i])); v.err != nil {
			return fmt.Errorf("number %d: %w", number(rows[i]), v.err)
		}
	}
	return nil
}

type textVisitor struct {
	row.Nothing
	err error
}

// Text implements row.Visitor.
func (v *textVisitor) Text(_ *row.Field, text string, null bool) (string, bool) {
	if v.err == nil {
		v.err = directory.CheckText(text)
	}
	return text, null
}

var (
	entities    = newTable[entityRow]("entities", "entity_id")
	accounts    = newTable[accountRow]("accounts", "user_id", "access_token")
	evaluations = newTable[evaluationRow]("evaluations", "evaluation_id")

	entityFields     = row.Of(&directory.Entity{})
	accountFields    = row.Of(&directory.Account{})
	evaluationFields = row.Of(&directory.Evaluation{})

	entityColumns     = columnsOf(entityFields)
	accountColumns    = columnsOf(accountFields)
	evaluationColumns = columnsOf(evaluationFields)
)

// columnsOf returns the columns of a record, with commas.
func columnsOf(s row.Schema) string {
	var columns []string
	for _, f := range s {
		columns = append(columns, f.Column())
	}
	return strings.Join(columns, ", ")
}

// entityRow is an entity as it is stored.
type entityRow struct {
	directory.Entity
	network directory.EntityID // above; 0 for a network
	version int64
}

func (r *entityRow) Fields(w *row.Walk) {
	r.Entity.Fields(w)
	row.Int(w, "networkId", &r.network)
	row.Int(w, "version", &r.version)
}

func (r entityRow) number() int64            { return int64(r.ID) }
func (r entityRow) reference() directory.Ref { return r.Ref }
func (r entityRow) gone() bool               { return r.Deleted }

// accountRow is an account as it is stored.
type accountRow struct {
	directory.Account
	version int64
}

func (r *accountRow) Fields(w *row.Walk) {
	r.Account.Fields(w)
	row.Int(w, "version", &r.version)
}

func (r accountRow) number() int64            { return int64(r.ID) }
func (r accountRow) reference() directory.Ref { return r.Ref }
func (r accountRow) gone() bool               { return r.Deleted }

// evaluationRow is an evaluation as it is stored.
type evaluationRow struct{ directory.Evaluation }

func (r evaluationRow) number() int64 { return r.ID }

// timeOf returns a stored instant: microseconds since 1970.
func timeOf(us int64) time.Time { return time.UnixMicro(us).UTC() }
