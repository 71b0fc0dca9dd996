// Package generate writes feeds of invented networks of any size. Tests and benchmarks import it. Run
// go run ./server/internal/tools/generate/feed to write a feed and try a load with it.
//
// The same parameters give the same bytes on every machine. Nobody in a feed exists; addresses end in .example.
//
//	sum, err := generate.Schools(ctx, dir, generate.Params{Users: 10_000, Days: 365, Seed: 1})
//	sum, err := generate.Libraries(ctx, dir, generate.Params{Users: 10_000, Days: 120, Seed: 1})
//
// # Habits in schools
//
// Readers behave as measured on such a platform, since the rules of effective reading exist for its odd cases. Half of the
// pages are turned at more than 590 words per minute, nearly half at more than 800, more than a third within three seconds. A
// few have no recorded speed. A reader has about 2,000 page views and 25 books a year and comes on nearly half of the days.
// Readers differ widely: some come daily, some never, some never read. Evenings are busy, nights and weekends less so.
//
// # Habits in library networks
//
// 100 readers have 800 days with activity in 120 days, 300 loans, 30 reservations, 900 sessions, 400 records of
// activity, 100 previews and 20 suggestions. A third of them never come. Few titles are in great demand, and every band
// of consumption has titles. Rows are in the order of days, except for a few sessions that arrive days later.
//
// A feed shows the network on its last day. Only due dates are later. It has every case that the rules distinguish. Examples are lines
// without copies or from before the history, null texts and vocabularies, genders as other systems write them, and sessions without a loan.
//
// # What it does not do
//
// Every row is valid. There are no holidays. A longer feed of the same seed is not a continuation.
package generate
