package main

import (
	"encoding/json"
	"slices"
)

// summary compares the summaries of a key with the rows of its users, engagements and readings (S10).
func (t *partnerSide) summary(s *server, k *apiKey, lists []*pull) {
	if slices.Contains(lists, nil) {
		// A fault prevented a pull.
		return
	}
	want := totals(lists[0].rows, lists[1].rows, lists[2].rows)
	for _, by := range []string{"day", "month", "school", "class", "book"} {
		params := with(with(lists[2].params, "snapshot", lists[2].snapshot), "groupBy", by)
		a := t.get(s, k, schoolsPrefix+"/summary", params)
		p := t.page(a)
		if p == nil {
			return
		}
		general, _ := p.data["general"].(row)
		if got := line(general); got != line(want) {
			fail("%s: general is\n%s, the lists have\n%s", a.what, got, line(want))
		}
		if groups, _ := p.data["breakdown"].([]any); len(groups) == p.total {
			addsUp(a.what, by, general, groups)
		}
	}
}

// totals computes the general part of the summary from the rows of the three lists.
func totals(users, engagements, readings []row) row {
	sum := 0
	came, read, books := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, e := range engagements {
		came[num(e, "userId")] = true
		sum += tenthsOf(e, "readingMinutes")
	}
	for _, r := range readings {
		read[num(r, "userId")], books[num(r["book"].(row), "id")] = true, true
	}
	return row{"users": whole(len(users)), "activeUsers": whole(countTrue(users, "active")), "usersWithAccess": whole(len(came)),
		"accessDays": whole(len(engagements)), "readers": whole(len(read)), "readingMinutes": tenths(sum), "readings": whole(len(readings)),
		"finished": whole(countTrue(readings, "finished")), "distinctBooks": whole(len(books))}
}

func countTrue(rows []row, member string) (n int) {
	for _, r := range rows {
		if r[member] == true {
			n++
		}
	}
	return n
}

// tenthsOf returns a member in tenths.
func tenthsOf(r row, member string) int {
	n, _ := r[member].(json.Number)
	f, _ := n.Float64()
	return int(f*10 + 0.5)
}

// addsUp compares sums over all groups with the totals, for members in which a row counts in one group only.
func addsUp(what, by string, general row, groups []any) {
	members := map[string][]string{
		"day": {"accessDays"}, "month": {"accessDays"}, "book": {"readings", "finished"},
		"school": {"users", "activeUsers", "usersWithAccess", "accessDays", "readers", "readings", "finished"},
	}
	members["class"] = members["school"]
	for _, m := range append(members[by], "readingMinutes") {
		sum := 0
		for _, g := range groups {
			sum += tenthsOf(g.(row)["metrics"].(row), m)
		}
		if sum != tenthsOf(general, m) {
			fail("%s: %s of the groups are %d tenths, want %d", what, m, sum, tenthsOf(general, m))
		}
	}
}
