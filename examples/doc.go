// Package examples has programs that use Lectern, one in each folder. Five are for Go programs, each of 40 lines at most:
//
//	effective  which segments of reading count, and what they add up to
//	stock      which lines of stock a title's readings use up
//	scope      the entities and readers that a teacher sees
//	mount      the APIs inside a program with its own mux and its own pool of connections
//	load       feeds loaded into a database in memory, and reports read from it
//
// Two are clients of the APIs:
//
//	pull         a year of readings, page by page, as CSV
//	incremental  a copy of the lists, updated with the rows that changed
//
// Each runs from the folder of the module:
//
//	go run ./examples/stock
//
// They import only the packages of Lectern and the standard library. A test compares what each prints with its output.txt.
package examples
