package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printStatus writes two tables: the tenants, and their live keys by last use. Times are in UTC but for the snapshot's hour,
// which is shown as the API shows it.
func (s *session) printStatus(all []tenantStatus) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tREFERENCE\tNAME\tVERSION\tLAST LOAD\tSECONDS\tROWS\tSTORED")
	for _, st := range all {
		ended, seconds, rows := "-", "-", "-"
		if l := st.LastLoad; l != nil {
			ended, seconds, rows = minute(&l.Ended), fmt.Sprintf("%.1f", l.Seconds), fmt.Sprint(l.Rows)
		}
		stored := st.Rows.String()
		if st.Hour != nil {
			stored += ", snapshot of " + *st.Hour + " (Brasilia)"
		}
		if kept := st.States.String(); kept != "" {
			stored += ", " + kept
		}
		if st.Next != nil {
			stored += ", the next from " + minute(&st.Next.From)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d.%d\t%s\t%s\t%s\t%s\n", st.Kind, st.Reference, st.Name,
			st.Versions.Registers, st.Versions.Facts, ended, seconds, rows, stored)
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "none yet: lectern partner create and lectern library create make them")
	}
	fmt.Fprintln(w)
	printKeyUses(w, all)
	return w.Flush()
}

// printKeyUses writes the table of keys.
func printKeyUses(w io.Writer, all []tenantStatus) {
	fmt.Fprintln(w, "KEY\tAPI\tREFERENCE\tNETWORK\tLAST USE")
	none := true
	for _, st := range all {
		for _, k := range st.Keys {
			none = false
			network := "-"
			if k.Network != nil {
				network = *k.Network
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.API, st.Reference, network, minute(k.LastUsed))
		}
	}
	if none {
		fmt.Fprintln(w, "none that is live: lectern key issue makes them")
	}
}
