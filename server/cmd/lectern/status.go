package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lectern-dev/lectern/server/internal/status"
)

type statusCmd struct {
	JSON bool `name:"json" help:"One JSON object a line, for each tenant."`
}

// Run tells the state of every tenant, one after the other, by number: as JSON, or in two tables of the tenants and of their
// live keys by last use. Times are in UTC but for the snapshot's hour, which is shown as the API shows it.
func (c *statusCmd) Run(s *session, db current) error {
	if c.JSON {
		return s.status(db.DB).Each(s.ctx, func(t status.Tenant) error { return s.print(t) })
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tREFERENCE\tNAME\tVERSION\tLAST LOAD\tSECONDS\tROWS\tSTORED")
	var all []status.Tenant
	err := s.status(db.DB).Each(s.ctx, func(t status.Tenant) error {
		all = append(all, t)
		version := fmt.Sprintf("%d.%d", t.Versions.Registers, t.Versions.Facts)
		if l := t.LastLoad; l != nil {
			row(w, t.Kind, t.Reference, t.Name, version, &l.Ended, fmt.Sprintf("%.1f", l.Seconds), l.Rows, stored(t))
		} else {
			row(w, t.Kind, t.Reference, t.Name, version, "-", "-", "-", stored(t))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "none yet: lectern partner create and lectern library create make them")
	}
	fmt.Fprintln(w, "\nKEY\tAPI\tREFERENCE\tNETWORK\tLAST USE")
	none := true
	for _, t := range all {
		for _, k := range t.Keys {
			none = false
			row(w, k.ID, k.API, t.Reference, k.Network, k.LastUsed)
		}
	}
	if none {
		fmt.Fprintln(w, "none that is live: lectern key issue makes them")
	}
	return w.Flush()
}

// stored says what is stored of a tenant: its rows, and what there is besides the present state, such as "3 states since
// 2026-11-21T17:00Z with 120 former rows".
func stored(t status.Tenant) string {
	text := t.Rows.String()
	if t.Hour != nil {
		text += ", snapshot of " + *t.Hour + " (Brasilia)"
	}
	if st := t.States; st.Kept > 1 || st.FormerRows > 0 {
		text += ", " + strings.Replace(fmt.Sprint(st.Kept, " states"), "1 states", "1 state", 1)
		if st.Oldest != nil {
			text += " since " + cell(st.Oldest)
		}
		text += fmt.Sprint(" with ", st.FormerRows, " former rows")
	}
	if t.Next != nil {
		text += ", the next from " + cell(&t.Next.From)
	}
	return text
}

// row writes a row of a table.
func row(w io.Writer, values ...any) {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = cell(v)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// cell writes a value for a table: a time to the minute, and what is not there as -.
func cell(v any) string {
	switch v := v.(type) {
	case *time.Time:
		if v != nil {
			return v.UTC().Format("2006-01-02T15:04Z")
		}
	case *string:
		if v != nil {
			return *v
		}
	default:
		return fmt.Sprint(v)
	}
	return "-"
}
