// Package generate writes feeds of invented networks, of any size, for demonstrations, tests and measurements. Tests import it;
// go run ./server/internal/tools/generate/feed writes a feed to try a load with.
//
// The same parameters give the same bytes, on every machine: all chance comes from a seeded generator and every draw is
// one of integers. Nobody in a feed exists; addresses end in .example.
//
//	sum, err := generate.Schools(ctx, dir, generate.Params{Users: 10_000, Days: 365, Seed: 1})
//	sum, err := generate.Libraries(ctx, dir, generate.Params{Users: 10_000, Days: 120, Seed: 1})
//
// # Habits in schools
//
// What the readers do follows what was measured on such a platform, since its odd parts are what the rules of effective
// reading are for: half of the pages are turned at more than 590 words per minute, nearly half at more than 800, more
// than a third within three seconds; a few have no recorded speed. A reader has about 2,000 page views and 25 books a
// year and is there on nearly half of its days, but readers differ widely: some come daily, some never, some never read.
// Evenings are busy, nights and weekends less so.
//
// # Habits in library networks
//
// Of 100 readers in 120 days there are 800 days with activity, 300 loans, 30 reservations, 900 sessions, 400 records of
// activity, 100 previews and 20 suggestions; a third of the readers never come, one in a thousand is there all day. Few
// titles are asked for much, most seldom. Stock is more or less than what is asked for: there are titles in every band
// of consumption. The rows of a file are by day, except for a few sessions that were without a connection and are told of
// days later, so that the events of a reader are spread over the file.
//
// A feed tells what is known on its last day: a loan is returned, expired or active, a reservation has come so far, and
// nothing is dated later but what is due. It has every case that the rules tell apart: lines without copies or from
// before the history, texts and vocabularies that are null, genders as other systems write them, sessions of titles that
// were never lent, loans that were never opened, readers that came or left in its course.
//
// # What it does not do
//
// Nothing in a feed is wrong: rows that a load must refuse are for its tests to write. Days are alike, there are no
// holidays. A longer feed of the same seed is another feed, not a continuation. A feed of days that are yet to come tells of them.
package generate
