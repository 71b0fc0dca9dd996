// Package generate writes feeds of invented networks, of any size, for demonstrations, tests and measurements.
//
// The same parameters give the same bytes, on every machine: all chance comes from a seeded generator and every draw is
// one of integers. Nobody in a feed exists; addresses end in .example. Schools and books may be taken from public
// tables, and are real then.
//
//	sum, err := generate.Schools(ctx, dir, generate.SchoolsParams{Users: 10_000, Days: 365, Seed: 1})
//
// # Habits
//
// What the readers do follows what was measured on such a platform, since its odd parts are what the rules of effective
// reading are for: half of the pages are turned at more than 590 words per minute, nearly half at more than 800, more
// than a third within three seconds; a few have no recorded speed. A reader has about 2,000 page views and 25 books a
// year and is there on nearly half of its days, but readers differ widely: some come daily, some never, some never read.
// Evenings are busy, nights and weekends less so.
//
// # What it does not do
//
// Nothing in a feed is wrong: rows that a load must refuse are for its tests to write. Days are alike, there are no
// holidays.
package generate
