package openapi

// integers are fields that are whole numbers.
func integers(names ...string) []field {
	var fields []field
	for _, n := range names {
		fields = append(fields, field{name: n, schema: integer})
	}
	return fields
}

// summarySchemas are the blocks of the summary.
func summarySchemas() []schema {
	titles := ref("TitlesAndLoans")
	named := record(append([]field{{name: "name", schema: text}}, integers("catalogTitles", "loans")...)...)
	split := record(integers("ebookOnly", "audiobookOnly", "both")...)
	return []schema{
		{"Summary", record(
			field{name: "meta", schema: ref("SummaryMeta")},
			field{name: "data", schema: record(
				field{name: "general", schema: ref("General")},
				field{name: "consumption", schema: record(integers("onlineSessions", "offlineSessions", "onlineSeconds", "offlineSeconds")...)},
				field{name: "channels", schema: record(append([]field{
					{name: "available", schema: boolean, description: "False where the source does not answer; the counts are zero then."},
					{name: "appEstimated", schema: boolean},
				}, integers("total", "web", "app", "webMobile", "webDesktop", "webTablet")...)...)},
				field{name: "formats", schema: record(
					field{name: "catalog", schema: split}, field{name: "loans", schema: split},
					field{name: "listening", schema: record(integers("listeners", "seconds")...)},
				)},
				field{name: "reservationsByStatus", schema: record(integers("active", "converted", "cancelled", "lost")...)},
				field{name: "stock", schema: record(append(integers("activeLoans", "readings", "possibleReadings"),
					field{name: "percentage", schema: fraction, description: "Consumed by possible, four decimals."},
					field{name: "activeReservations", schema: integer},
					field{name: "histogram", schema: list(record(field{name: "band", schema: bands}, field{name: "count", schema: integer}))},
				)...)},
				field{name: "deletedUsers", schema: record(append(integers("total", "last30Days", "withLoans"),
					field{name: "daily", schema: list(record(field{name: "date", schema: date}, field{name: "total", schema: integer}))},
					field{name: "monthly", schema: list(record(field{name: "month", schema: month}, field{name: "total", schema: integer}))},
				)...)},
				field{name: "catalogProfile", schema: record(
					field{name: "categories", schema: list(named)}, field{name: "subjects", schema: list(named)}, field{name: "origins", schema: list(named)},
					field{name: "materials", schema: record(
						field{name: "ebook", schema: titles}, field{name: "audiobook", schema: titles}, field{name: "video", schema: orNull(titles)},
					)},
				)},
				field{name: "monthly", schema: list(record(append([]field{{name: "month", schema: month}},
					integers("loans", "readings10", "readings50", "renewals", "readingSeconds")...)...))},
				field{name: "breakdown", schema: list(record(
					field{name: "key", schema: text, description: "Identifier of a library or age group; a state or city itself; empty for readers without the value."},
					field{name: "label", schema: text},
					field{name: "metrics", schema: ref("General")},
				)), description: "Only with groupBy.", optional: true},
			)},
		)},
		{"TitlesAndLoans", record(integers("catalogTitles", "loans")...)},
		{"General", record(
			field{name: "registeredUsers", schema: integer, description: "All registrations, not cut by the period."},
			field{name: "logins", schema: integer, description: "Days with activity, summed over readers."},
			field{name: "usersWithLogin", schema: integer, description: "Readers with activity in the period."},
			field{name: "loans", schema: integer},
			field{name: "returns", schema: integer},
			field{name: "activeLoans", schema: integer, description: "Loans minus returns of the period, not below 0."},
			field{name: "readings10", schema: integer}, field{name: "readings50", schema: integer},
			field{name: "previews", schema: integer},
			field{name: "distinctBooks", schema: integer, description: "Titles read."},
			field{name: "readingSeconds", schema: integer},
			field{name: "renewals", schema: integer},
			field{name: "reservations", schema: integer},
			field{name: "activeReservations", schema: integer, description: "Waiting or available now."},
			field{name: "convertedReservations", schema: integer, description: "Of the reservations made in the period."},
		)},
	}
}
