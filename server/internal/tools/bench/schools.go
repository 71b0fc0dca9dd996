package main

import (
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// schools is the domain of school networks. Its feeds begin in 2025, a year that has ended whenever this runs.
var schools = domain{
	name: "schools", users: "users", first: calendar.MustParse("2025-01-01"),
	tenant: "partner", prefix: "/api-platform/schools/v1", flags: map[string][]string{
		"key":   {"--partner", "bench", "--network", generate.Network},
		"load":  {"--partner", "bench", "--schools-history", "2025-01-01"},
		"serve": {"--schools-history", "2025-01-01"},
	},
	unit: "segments", files: []string{"segments"}, write: generate.Schools, questions: schoolsQuestions,
}

func schoolsQuestions(ctx context.Context, n *network) []question {
	db := must(database.Open(ctx, n.db))
	defer db.Close()
	school := ""
	check(db.NewRaw("SELECT entity_id FROM entities WHERE entity_type = ? ORDER BY entity_id LIMIT 1", directory.School).Scan(ctx, &school))
	all, month := between(n.first, n.last()), between(n.first+59, n.first+89) // March
	questions := []question{
		list("readings, all days", "/readings"+all, 1000), list("readings, one month", "/readings"+month, 1000),
		list("readings, all days, one school", "/readings"+all+"&schoolId="+school, 1000),
		list("engagements, all days", "/engagements"+all, 1000), list("users", "/users?", 1000), list("summary, all days", "/summary"+all, 0),
	}
	for _, by := range []string{"day", "month", "school", "class", "book"} {
		questions = append(questions, list("summary by "+by, "/summary"+all+"&groupBy="+by, 0))
	}
	for i := range questions[5:] {
		questions[5+i].budget = map[bool]string{true: yearSummary, false: largeSummary}[n.users <= 10_000]
	}
	if n.users <= 10_000 {
		questions[len(questions)-1].budget = yearByBook
	}
	return questions
}

// between returns the parameters of a period.
func between(start, end calendar.Date) string {
	return fmt.Sprintf("?startDate=%v&endDate=%v", start, end)
}
