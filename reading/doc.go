// Package reading has the rules of effective reading: which segments count, and how much time and how much of a book
// they add up to. It also has the compact record in which one reader's reading of one book is stored.
//
// # The rules
//
// Reading arrives in segments. A [Segment] is effective at a speed from 5 to 800 words per minute, both included, or,
// when no speed was recorded, if it lasts 3 seconds or longer; a recorded 0 is a recorded speed (S2). All others count
// for nothing. An effective segment belongs to the day in Brasilia on which it starts, and gives that day its duration
// and its [Interval] of the book. The intervals merge into a [Coverage], so that what is read again counts once.
//
// Time is counted in tenths of a minute (S3). The milliseconds of a reader's day are rounded once, over all books, and
// [DayMinutes] shares the result out among the books of the day: so the days of a period and the books of a period have
// the same sum. The percentage is the part of the book that the days of the period cover together, rounded to two
// decimals; a book is finished when that number reaches 50 (S4).
//
// # An example
//
// Ana reads a book of 10,000 words on 2 March, in three segments:
//
//	from    to  lasts    speed    effective
//	   0  3000  600 s    300      yes
//	3000  3900    2 s  27000      no: too fast
//	2000  4500  500 s    300      yes
//	4500  4501    3 s   none      yes: 3 seconds, and no recorded speed
//
// The day has 1,103,000 ms and covers [0, 4501), for 2000 to 3000 count once. That is 183.83 tenths of a minute. If
// she reads a second book for 65,000 ms on that day, 10.83 tenths, then the day has 1,168,000 ms, 195 tenths: the books
// have 183 and 10 full ones, and the two left go one to each, their remainders being 5,000 ms both. The first book's row
// for March has 18.4 minutes and 45.01 %, and is not finished. If in April she reads from 4501 to 5001, then April's row
// has 5.00 %, and the row of both months 50.01 %, finished.
//
// In Go, for a reader with one book:
//
//	var record reading.Record
//	for _, s := range segments {
//		if s.Effective() {
//			day := reading.Day{Date: calendar.Day(s.Start)}
//			day.Add(int32(s.Start.Sub(day.Date.Start())/time.Second), s.DurationMS, reading.Interval{From: s.From, To: s.To})
//			record.Merge(day)
//		}
//	}
//	for i, day := range record.Days {
//		record.Days[i].Minutes = reading.DayMinutes([]int64{day.MS})[0] // of one book; else those of all books of the day
//	}
//	total, ok := record.Total(march, 10_000)
//
// The program examples/effective does this and prints what each segment counts for. For many readers and books use
// package schools/intake, which aggregates segments by these rules.
//
// # Records
//
// A [Record] has one [Day] for every day on which a reader effectively read a book. Days are built with [Day.Add] and
// merged with [Record.Merge], segments and days in any order: the result is the same. [Record.Total] answers any period
// from it. A record does not recognise repeated segments: the loader leaves them out. Nor does adding to a day update
// its tenths, since they depend on the reader's other books.
//
// The binary form of a record has its days ascending. Numbers are unsigned varints, as encoding/binary has them, each in
// its shortest form:
//
//	version      one byte, 1
//	days         their number
//	each day:
//	  date       the first: days since 1970-01-01, zigzag; the others: days since the one before, at least 1
//	  ms         milliseconds
//	  tenths     tenths of a minute
//	  first      second of the day at which the first segment starts
//	  span       seconds from there to the start of the last
//	  intervals  their number
//	  each:      units since the end of the one before, which is 0 at first, and extent in units, at least 1
//
// A day of one interval takes about 15 bytes. A record has only one form: a decoded record is encoded to the same bytes,
// and any other form is refused.
//
// # What it does not do
//
// It does not parse feeds, does not know who a reader or what a book is, and stores nothing.
//
// # Design
//
// Everything is counted in integers. Speeds come as decimals and are compared exactly, without a float between. The
// intervals are a plain sorted slice: a reader's coverage of one book has a handful of intervals, mostly added at the
// end, where a search tree or a bitmap costs more than it saves. Coverage is kept for each day and merged at the answer,
// because the percentage of a period cannot be had from those of its days. It is not cut to the book's length when it is
// kept, as the length may be corrected later (S2).
package reading
