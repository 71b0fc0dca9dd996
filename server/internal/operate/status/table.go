package status

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteTenants writes two tables: tenants, and their live keys by last use. Times are in UTC, except the snapshot's hour, which
// is shown as the API shows it.
func WriteTenants(to io.Writer, all []Tenant) error {
	w := newTable(to, "KIND", "REFERENCE", "NAME", "VERSION", "LAST LOAD", "SECONDS", "ROWS", "STORED")
	for _, t := range all {
		version := fmt.Sprintf("%d.%d", t.Versions.Registers, t.Versions.Facts)
		if l := t.LastLoad; l != nil {
			w.row(t.Kind, t.Reference, t.Name, version, &l.Ended, fmt.Sprintf("%.1f", l.Seconds), l.Rows, stored(t))
		} else {
			w.row(t.Kind, t.Reference, t.Name, version, "-", "-", "-", stored(t))
		}
	}
	if len(all) == 0 {
		w.row("none yet: lectern partner create and lectern library create make them")
	}
	w.row("")
	w.row("KEY", "API", "REFERENCE", "NETWORK", "LAST USE")
	none := true
	for _, t := range all {
		for _, k := range t.Keys {
			none = false
			w.row(k.ID, k.API, t.Reference, k.Network, k.LastUsed)
		}
	}
	if none {
		w.row("none that is live: lectern key issue makes them")
	}
	return w.Flush()
}

// stored tells how many rows of a tenant are stored, and which snapshots there are, such as "3 snapshots since 2026-11-21T17:00Z with
// 120 superseded rows".
func stored(t Tenant) string {
	if t.Removing {
		return fmt.Sprintf("half removed: run lectern %s remove %s again", t.Kind, t.Reference)
	}
	var rows []string
	for _, c := range counted()[t.Kind] {
		rows = append(rows, fmt.Sprint(t.Rows[c.name], " ", c.name))
	}
	text := strings.Join(rows, ", ")
	if t.Hour != nil {
		text += ", snapshot of " + *t.Hour + " (Brasilia)"
	}
	if st := t.Snapshots; st.Kept > 1 || st.SupersededRows > 0 {
		snapshots := " snapshots"
		if st.Kept == 1 {
			snapshots = " snapshot"
		}
		text += fmt.Sprint(", ", st.Kept, snapshots)
		if st.Oldest != nil {
			text += " since " + cell(st.Oldest)
		}
		text += fmt.Sprint(" with ", st.SupersededRows, " superseded rows")
	}
	if t.Next != nil {
		text += ", the next from " + cell(&t.Next.From)
	}
	return text
}

// WriteKeys writes keys as a table.
func WriteKeys(to io.Writer, keys []Key) error {
	w := newTable(to, "ID", "API", "TENANT", "NETWORK", "CREATED", "EXPIRES", "LAST USE", "STATE")
	for _, k := range keys {
		w.row(k.ID, k.API, k.Tenant, k.Network, &k.Created, k.Expires, k.LastUsed, k.State)
	}
	return w.Flush()
}

// table writes rows in columns.
type table struct{ *tabwriter.Writer }

func newTable(to io.Writer, head ...any) table {
	w := table{tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)}
	w.row(head...)
	return w
}

// row writes a row; errors are kept until Flush.
func (w table) row(values ...any) {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = cell(v)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// cell formats a value for a table: a time to the minute in UTC, and a missing one as `-`.
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
