package openapi

import "slices"

const schoolsBase = "/api-platform/schools/v1"

// schools is the schools reading API.
func schools(s Settings) api {
	period := []param{
		query("startDate", date, "First day, Brasilia time. Left out: 29 days before the end. Before "+s.SchoolsHistory.String()+": that day."),
		query("endDate", date, "Last day. Left out, or in the future: today."),
	}
	filters := []param{
		query("userId", integerParam, "One user."),
		query("schoolId", integerParam, "The users of one school."),
		query("profile", enum("student", "teacher"), "Students or teachers alone."),
	}
	ofUsers := slices.Concat(filters, paging(1000))
	ofPeriods := slices.Concat(period, ofUsers)
	ops := []operation{
		get(schoolsBase+"/users", "users", "Users", "Users of the network",
			"The register of students and teachers, by userId. The only route with personal data.", ofUsers),
		get(schoolsBase+"/engagements", "engagements", "Engagements", "Days with access",
			"One row for each user and day with an access, by date, then userId. The sum of readingMinutes equals that of readings for the same period and filters.", ofPeriods),
		get(schoolsBase+"/readings", "readings", "Readings", "What was read",
			"One row for each user and book with effective reading in the period, by userId, then book. Percent and finished are of the period.", ofPeriods),
	}
	for i := range ops {
		ops[i].rows = true
	}
	return api{
		name:    "schools",
		title:   "Schools reading",
		summary: "Users, days of access and reading of a school network.",
		description: "Read-only. The key decides the network. A segment of reading counts as effective when its speed is from 5 to 800 words a minute, or when it has no recorded speed and lasts at least 3 seconds. " +
			forms + allowance(s.SchoolsRate, "for each key") + "Page through a route one page at a time until totalRows rows are there: the later pages of a query are answered from the state of its first page, for 24 hours, whatever is loaded meanwhile. " +
			"Who pulls one query twice at the same time, or not in order, sends the first page's X-Snapshot as snapshot.",
		security: keySecurity, tags: object{{"reading", "The users of a network, the days on which they came, and what they read."}}, operations: tagged("reading", ops), failures: reportFailures(), failure: failureSchema.name, pulls: true,
		schemas: []schema{
			failureSchema, periodSchema, pageSchema,
			{"UsersMeta", record(field{name: "page", schema: ref("Page")})},
			{"PeriodMeta", record(field{name: "period", schema: ref("Period")}, field{name: "page", schema: ref("Page")})},
			{"Users", rowsOf("UsersMeta", "User")},
			{"Engagements", rowsOf("PeriodMeta", "Engagement")},
			{"Readings", rowsOf("PeriodMeta", "Reading")},
			{"Unit", record(
				field{name: "id", schema: integer},
				field{name: "name", schema: orNull(text)},
			)},
			{"User", record(
				field{name: "userId", schema: integer, description: "Identifier: the key that links the three routes."},
				field{name: "name", schema: orNull(text)},
				field{name: "email", schema: orNull(text)},
				field{name: "profile", schema: enum("student", "teacher")},
				field{name: "school", schema: orNull(ref("Unit")), description: "Present school."},
				field{name: "class", schema: orNull(ref("Unit")), description: "Present class; null for those in no class, such as most teachers."},
				field{name: "grade", schema: orNull(whole(member{"minimum", 1}, member{"maximum", 9})), description: "School year; null where the class has none."},
				field{name: "stage", schema: orNull(enum("INFANTIL", "FUNDAMENTAL 1", "FUNDAMENTAL 2", "MEDIO"))},
				field{name: "active", schema: boolean, description: "Whether the account is active."},
			)},
			{"Engagement", record(
				field{name: "date", schema: date, description: "Day of access, Brasilia time."},
				field{name: "userId", schema: integer},
				field{name: "readingMinutes", schema: share, description: "Minutes of effective reading, one decimal; 0 where the user came without reading."},
			)},
			{"Book", record(
				field{name: "id", schema: integer},
				field{name: "title", schema: orNull(text)},
				field{name: "author", schema: orNull(text)},
				field{name: "isbn", schema: orNull(text)},
			)},
			{"Reading", record(
				field{name: "userId", schema: integer},
				field{name: "book", schema: ref("Book")},
				field{name: "percent", schema: percent, description: "Share of the book that was read in the period, two decimals; what was read twice counts once."},
				field{name: "readingMinutes", schema: share, description: "Minutes of effective reading in the period, one decimal."},
				field{name: "firstReadAt", schema: instant, description: "Start of the first effective segment in the period."},
				field{name: "lastReadAt", schema: instant, description: "Start of the last one."},
				field{name: "finished", schema: boolean, description: "Whether percent reaches 50."},
			)},
		},
	}
}
