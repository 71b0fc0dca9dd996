package main

import (
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// schools are school networks, with a year that ended before any day on which this can run.
var schools = domain{
	name: "schools", users: "users", first: calendar.MustParse("2025-01-01"),
	tenant: "partner", prefix: "/api-platform/schools/v1", flags: map[string][]string{
		"key":   {"--partner", "bench", "--network", generate.Network},
		"load":  {"--partner", "bench", "--schools-history", "2025-01-01"},
		"serve": {"--schools-history", "2025-01-01"},
	},
	unit: "segments", files: []string{"segments"}, write: generate.Schools, questions: schoolsQuestions,
}

func schoolsQuestions(ctx context.Context, n *network) ([]question, error) {
	db, err := database.Open(ctx, n.db)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	school := ""
	err = db.NewRaw("SELECT entity_id FROM entities WHERE entity_type = ? ORDER BY entity_id LIMIT 1", directory.School).Scan(ctx, &school)
	all, month := between(n.first, n.last()), between(n.first+59, n.first+89) // March
	sum := list("summary, all days", "/summary"+all, 0)
	byBook := list("summary by book, all days", "/summary"+all+"&groupBy=book", 0)
	sum.recent, byBook.recent = true, true
	return []question{
		list("readings, all days", "/readings"+all, 1000), list("readings, one month", "/readings"+month, 1000),
		list("readings, all days, one school", "/readings"+all+"&schoolId="+school, 1000),
		list("engagements, all days", "/engagements"+all, 1000), list("users", "/users?", 1000), sum, byBook,
	}, err
}

// between returns the parameters of a period.
func between(start, end calendar.Date) string {
	return fmt.Sprintf("?startDate=%v&endDate=%v", start, end)
}
