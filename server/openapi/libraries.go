package openapi

import (
	"net/http"
	"slices"
)

const librariesBase = "/api-platform/libraries/v1"

// libraries is the libraries reporting API.
func libraries(s Settings) api {
	failures := reportFailures()
	failures[http.StatusNotFound] = failed{"There is no such path, or no such dataset.", nil}
	failures[http.StatusServiceUnavailable] = failed{"The database does not answer for a moment, or too many heavy queries run at once.", []string{"Retry-After"}}
	return api{
		name:    "libraries",
		title:   "Libraries reporting",
		summary: "Figures, readers, catalogue, stock, loans, reservations and suggestions of a library network.",
		description: "Read-only. The key decides the network. Answers are those of a full hour, which `meta.updatedAt` names: the same query inside the hour has the same answer. A pull that may cross an hour sends the first page's X-Snapshot as snapshot. " +
			"Days are Brasilia time; the history begins " + s.LibrariesHistory.String() + ". " + forms + allowance(s.LibrariesRate, "for all keys of a network together") +
			"A parameter that belongs to another dataset is ignored; one that belongs to none is refused.",
		tags: object{
			{"reports", "Figures of the whole network, its readers, their days, and the values of the filters."},
			{"datasets", "Titles, stock, loans, reservations, sessions and suggestions, as rows."},
		},
		security: keySecurity, operations: slices.Concat(tagged("reports", libraryRoutes()), tagged("datasets", datasets())),
		failures: failures, failure: failureSchema.name, pulls: true,
		schemas: slices.Concat([]schema{failureSchema, periodSchema, pageSchema}, libraryMetas(), summarySchemas(), libraryRows(), datasetRows()),
	}
}

// optionalPeriod are the days of a route that has a default period, whose ends may stand in either order.
func optionalPeriod(of string) []param {
	return []param{
		query("startDate", date, "First day "+of+". Left out: 30 days before the end."),
		query("endDate", date, "Last day. Left out: today."),
	}
}

var (
	startDay  = object{{"type", "string"}, {"format", "date"}}
	ofReader  = query("userId", integerParam, "One reader.")
	ofTitle   = query("bookId", integerParam, "One title.")
	loanState = enum("active", "returned", "expired")
	heldState = enum("waiting", "available", "converted", "cancelled", "lost")
	channel   = enum("web-mobile", "web-desktop", "web-tablet", "app")
	gender    = enum("Feminino", "Masculino", "Não-binário", "Outro", "Não informado")
	bands     = enum("0", "1-10", "11-20", "21-30", "31-40", "41-50", "51-60", "61-70", "71-80", "81-90", "91-100", "101+")
)

func libraryRoutes() []operation {
	summary := slices.Concat(optionalPeriod("of the period"), []param{
		query("groupBy", enum("library", "state", "city", "ageGroup"), "Fills data.breakdown."),
		query("libraryId", integerParam, "Readers of one library."),
		query("state", textParam, "Readers of one state, by its code."),
		query("city", textParam, "Readers of one city."),
		query("ageGroupId", integerParam, "Readers of one age group."),
		query("gender", textParam, "Readers of one gender, as the dimensions name it."),
		query("newUsers", boolParam, "Only readers registered inside the period."),
	}, paging(100))
	engagements := slices.Concat([]param{
		{name: "startDate", in: "query", required: true, schema: startDay, description: "First day."},
		{name: "endDate", in: "query", required: true, schema: startDay, description: "Last day; at most 31 days in all."},
		ofReader,
	}, paging(1000))
	users := slices.Concat([]param{
		ofReader,
		query("status", enum("active", "deactivated", "deleted"), "Readers of one status."),
		query("libraryId", integerParam, "Readers of one library."),
		query("registeredFrom", date, "Registered on that day or later."),
		query("registeredTo", date, "Registered on that day or earlier."),
		query("updatedSince", date, "Changed on that day or later, deactivation and deletion included."),
	}, paging(1000))
	all := []operation{
		get(librariesBase+"/summary", "summary", "Summary", "All figures of a period",
			"The filters by reader cut general and breakdown alone; the other blocks are of the whole base.", summary),
		get(librariesBase+"/engagements", "libraryEngagements", "Engagements", "Daily metrics of each reader",
			"One row for each reader and day on which any metric is not zero, by date, then userId.", engagements),
		get(librariesBase+"/users", "readers", "Readers", "Readers",
			"The register, deactivated and deleted readers included, by userId. The only route with personal data. Page one call at a time: parallel calls may be answered with 503.", users),
		get(librariesBase+"/dimensions", "dimensions", "Dimensions", "Values of the filters",
			"Identifiers are strings here, and integers as parameters.", nil),
	}
	all[1].rows, all[2].rows = true, true
	return all
}

func datasets() []operation {
	catalogue := func(first []param, collection object, orders []string, def string) []param {
		return slices.Concat(first, []param{
			query("publisherId", integerParam, "Titles of one publisher."),
			query("categoryId", integerParam, "Titles of one category."),
			query("subjectId", integerParam, "Titles of one subject."),
			query("collection", collection, "Titles with a line of one collection."),
		}, formatParam(def), []param{
			ofTitle,
			query("publicationYear", integerParam, "Titles of one year of publication."),
			query("orderBy", append(enum(orders...), member{"default", def}), "The column to order by; ties by title, then bookId."),
			query("orderDir", append(enum("asc", "desc"), member{"default", "desc"}), "The direction of that column."),
		}, paging(100))
	}
	search := query("search", textParam, "A part of the title, accents and case apart; digits also find an ISBN.")
	books := catalogue(
		append(optionalPeriod("of the usage"), search, query("author", textParam, "A part of the author, accents and case apart.")),
		enum("all", "platform", "additional", "external", "manual"),
		[]string{"title", "loans", "returns", "readings10", "readings50", "readingSeconds", "renewals", "reservations", "activeReservations", "convertedReservations"}, "loans")
	stock := catalogue(
		[]param{
			query("purchasedFrom", date, "Titles with a line purchased on that day or later."),
			query("purchasedTo", date, "Titles with a line purchased on that day or earlier."),
			query("consumptionBand", bands, "Titles of one band of consumption."),
			search,
		},
		enum("additional", "external", "manual"),
		[]string{"title", "activeLoans", "readings", "possibleReadings", "percentage", "activeReservations"}, "percentage")
	dataset := func(name, id, answer, summary, description string, params []param) operation {
		op := get(librariesBase+"/datasets/"+name, id, answer, summary, description, params)
		op.rows = true
		return op
	}
	window := optionalPeriod("of at most 31")
	sessions := dataset("channels", "channels", "Channels", "Sessions by channel", "Not paged: every row of the period, by date, then channel.",
		append(window[:2:2], query("channel", channel, "One channel.")))
	sessions.own = map[int]failed{http.StatusServiceUnavailable: {"The analytics source or the database is not available; nothing is kept of it, the call may be repeated later.", nil}}
	return []operation{
		dataset("books", "books", "Books", "Titles", "Every title of the catalogue, with its usage in the period.", books),
		dataset("stock", "stock", "Stock", "Stock", "Titles with stock of their own and what of it is consumed, now.", stock),
		dataset("loans", "loans", "Loans", "Loans", "By day of the loan, then loanId.",
			slices.Concat(optionalPeriod("of the loan"), []param{ofReader, ofTitle, query("status", loanState, "Loans of one status.")}, paging(1000))),
		dataset("reservations", "reservations", "Reservations", "Reservations", "By reservedAt, then reservationId.",
			slices.Concat(optionalPeriod("of the reservation"), []param{query("status", heldState, "Reservations of one status."), ofReader, ofTitle}, paging(1000))),
		dataset("logins", "logins", "Logins", "Days with activity", "By date, then userId.", slices.Concat(window, []param{ofReader}, paging(1000))),
		sessions,
		dataset("suggestions", "suggestions", "Suggestions", "Suggested titles", "By requests, most first.",
			slices.Concat(optionalPeriod("of the requests"), []param{query("search", textParam, "A part of the title or of the search term.")}, paging(100))),
		dataset("suggestion-requests", "suggestionRequests", "Requests", "Suggestion requests", "By instant, then number of the request.",
			slices.Concat(optionalPeriod("of the requests"), []param{
				query("title", textParam, "The whole title, case apart."),
				query("author", textParam, "The whole author, case apart."),
				ofReader,
			}, paging(1000))),
	}
}

// formatParam is the parameter that books have and stock has not.
func formatParam(order string) []param {
	if order != "loans" {
		return nil
	}
	return []param{query("format", enum("ebook", "audiobook"), "Titles that there are in one format.")}
}

func libraryMetas() []schema {
	updated := field{name: "updatedAt", schema: orNull(local), description: "The hour whose data these are, Brasilia time; null before the first synchronisation."}
	period := field{name: "period", schema: ref("Period")}
	page := field{name: "page", schema: ref("Page")}
	maybe := page
	maybe.optional, maybe.description = true, "The page of the breakdown, where there is one."
	return []schema{
		{"HourMeta", record(updated)},
		{"PageMeta", record(updated, page)},
		{"SeriesMeta", record(updated, period)},
		{"ListMeta", record(updated, period, page)},
		{"SummaryMeta", record(updated, period, maybe)},
		{"Engagements", rowsOf("ListMeta", "Engagement")},
		{"Readers", rowsOf("PageMeta", "Reader")},
		{"Books", rowsOf("ListMeta", "Book")},
		{"Stock", rowsOf("PageMeta", "StockTitle")},
		{"Loans", rowsOf("ListMeta", "Loan")},
		{"Reservations", rowsOf("ListMeta", "Reservation")},
		{"Logins", rowsOf("ListMeta", "Login")},
		{"Channels", rowsOf("SeriesMeta", "ChannelDay")},
		{"Suggestions", rowsOf("ListMeta", "Suggestion")},
		{"Requests", rowsOf("ListMeta", "Request")},
	}
}

func libraryRows() []schema {
	term := list(record(field{name: "id", schema: text}, field{name: "name", schema: text}))
	return []schema{
		{"Engagement", record(
			field{name: "date", schema: date},
			field{name: "userId", schema: integer},
			field{name: "logins", schema: whole(member{"minimum", 0}, member{"maximum", 1}), description: "1 if the reader had activity that day."},
			field{name: "loans", schema: integer},
			field{name: "returns", schema: integer, description: "Returns that day, automatic expiry included."},
			field{name: "readings10", schema: integer, description: "Titles whose progress reached 10 percent that day."},
			field{name: "readings50", schema: integer, description: "Titles whose progress reached 50 percent that day."},
			field{name: "previews", schema: integer},
			field{name: "distinctBooks", schema: integer},
			field{name: "readingSeconds", schema: integer},
			field{name: "renewals", schema: integer},
			field{name: "reservations", schema: integer},
			field{name: "reservationsConverted", schema: integer, description: "Of the reservations made that day, those that later became loans."},
		)},
		{"Reader", record(
			field{name: "userId", schema: integer},
			field{name: "name", schema: text},
			field{name: "email", schema: text, description: "Empty when there is none; erased when the reader deleted the account."},
			field{name: "library", schema: orNull(text)},
			field{name: "ageGroup", schema: orNull(text)},
			field{name: "city", schema: orNull(text)},
			field{name: "state", schema: orNull(text)},
			field{name: "gender", schema: gender},
			field{name: "registeredAt", schema: date},
			field{name: "status", schema: enum("active", "deactivated", "deleted")},
			field{name: "deletedAt", schema: orNull(date)},
			field{name: "updatedAt", schema: instant, description: "Last change, UTC."},
			field{name: "confirmedAt", schema: orNull(local)},
			field{name: "lastSignInAt", schema: orNull(local)},
			field{name: "totalLoans", schema: integer, description: "Loans of all time."},
		)},
		{"Dimensions", record(
			field{name: "meta", schema: ref("HourMeta")},
			field{name: "data", schema: record(
				field{name: "libraries", schema: term}, field{name: "ageGroups", schema: term}, field{name: "publishers", schema: term},
				field{name: "categories", schema: term}, field{name: "subjects", schema: term},
				field{name: "ras", schema: list(text), description: "Administrative regions; no filter."},
				field{name: "states", schema: list(text)}, field{name: "cities", schema: list(text)},
				field{name: "genders", schema: list(gender)}, field{name: "publicationYears", schema: list(integer)},
			)},
		)},
	}
}

func datasetRows() []schema {
	title := []field{{name: "bookId", schema: integer}, {name: "title", schema: text}}
	isbn, author := field{name: "isbn", schema: orNull(text)}, field{name: "author", schema: orNull(text)}
	return []schema{
		{"Book", record(append(title[:2:2],
			isbn, author,
			field{name: "publisher", schema: orNull(text)},
			field{name: "collection", schema: orNull(enum("platform", "additional", "external", "manual"))},
			field{name: "hasEbook", schema: boolean},
			field{name: "hasAudiobook", schema: boolean},
			field{name: "model", schema: orNull(integer), description: "Loans a copy gives."},
			field{name: "copies", schema: orNull(integer), description: "Capacity in loans."},
			field{name: "consumedCopies", schema: orNull(integer), description: "Loans whose reader has a session of the title from the day of the loan to that of its return."},
			field{name: "availableCopies", schema: orNull(integer)},
			field{name: "loans", schema: integer}, field{name: "returns", schema: integer},
			field{name: "readings10", schema: integer}, field{name: "readings50", schema: integer},
			field{name: "renewals", schema: integer}, field{name: "readingSeconds", schema: integer},
			field{name: "reservations", schema: integer}, field{name: "convertedReservations", schema: integer},
			field{name: "activeReservations", schema: integer},
		)...)},
		{"StockTitle", record(append(title[:2:2],
			field{name: "activeLoans", schema: integer},
			field{name: "readings", schema: integer, description: "Confirmed readings by readers with a loan."},
			field{name: "possibleReadings", schema: integer},
			field{name: "percentage", schema: share, description: "Readings by possible readings, four decimals; may exceed 1."},
			field{name: "activeReservations", schema: integer},
			field{name: "purchases", schema: list(ref("Purchase")), description: "The lines, in the order in which they are consumed."},
		)...)},
		{"Purchase", record(
			field{name: "purchaseId", schema: object{{"type", "string"}, {"pattern", `^(Compra|Legado) \d+$`}}},
			field{name: "modality", schema: orNull(text)},
			field{name: "model", schema: integer},
			field{name: "copies", schema: orNull(integer)},
			field{name: "possibleReadings", schema: integer},
			field{name: "consumed", schema: integer},
			field{name: "percentage", schema: fraction},
			field{name: "purchasedAt", schema: date},
			field{name: "unitPrice", schema: money}, field{name: "totalPrice", schema: money},
			field{name: "expiresAt", schema: orNull(date)},
		)},
		{"Loan", record(
			field{name: "loanId", schema: integer}, field{name: "userId", schema: integer}, title[0], title[1], isbn, author,
			field{name: "borrowedAt", schema: orNull(date)},
			field{name: "dueAt", schema: orNull(date)},
			field{name: "returnedAt", schema: orNull(date)},
			field{name: "status", schema: loanState},
			field{name: "readingSeconds", schema: integer, description: "Of the reader and the title, over all loans of it."},
			field{name: "progress", schema: percent, description: "Highest share of the title that the reader reached."},
		)},
		{"Reservation", record(
			field{name: "reservationId", schema: integer}, field{name: "userId", schema: integer}, title[0], title[1], isbn,
			field{name: "status", schema: heldState},
			field{name: "position", schema: orNull(integer)},
			field{name: "titleQueue", schema: integer},
			field{name: "reservedAt", schema: date},
			field{name: "resolvedAt", schema: orNull(date)},
		)},
		{"Login", record(
			field{name: "userId", schema: integer}, field{name: "date", schema: date},
			field{name: "firstSeenAt", schema: local}, field{name: "lastSeenAt", schema: local},
			field{name: "events", schema: integer},
		)},
		{"ChannelDay", record(
			field{name: "date", schema: date}, field{name: "channel", schema: channel},
			field{name: "sessions", schema: integer}, field{name: "estimated", schema: boolean},
		)},
		{"Suggestion", record(
			field{name: "title", schema: orNull(text)}, author,
			field{name: "publisher", schema: orNull(text)}, field{name: "searchTerm", schema: orNull(text)},
			field{name: "requestsCount", schema: integer}, field{name: "uniqueUsers", schema: integer},
			field{name: "availability", schema: enum("catalog", "marketplace", "none")},
			field{name: "lastRequestedAt", schema: date},
		)},
		{"Request", record(
			field{name: "userId", schema: integer},
			field{name: "title", schema: orNull(text)}, author,
			field{name: "searchTerm", schema: orNull(text)},
			field{name: "requestedAt", schema: date},
		)},
	}
}
