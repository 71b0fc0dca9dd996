// Package metric has the numbers that the reports of a library network sum up by day: those of an engagement row, of a title
// and of a day as a whole.
//
// It knows what there is to count, and in which order. What makes a number rise is for the rules to say (package libraries);
// how numbers are kept, for the facts.
package metric
