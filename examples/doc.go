// Package examples has programs that use Lectern, one a folder, each short enough to read in a minute:
//
//	scope      who a teacher sees
//	effective  which segments of reading count, and what they come to
//	stock      which lines of stock a title's readings use up
//	periods    which days a report is about, by the rules of both APIs
//	mount      the APIs inside of a program with a mux of its own
//	pull       a year of readings over HTTP, page by page, into CSV
//	rounds     a copy of a list, kept by what changed since the last pull
//
// From the folder of the module, each runs by its path:
//
//	go run ./examples/stock
//
// They import the packages of Lectern and the standard library, nothing else. output.txt has what each prints, and a test
// holds it to that.
package examples
