// Package enum names the values of small enumerations, as feeds, queries and answers write them. It knows none of them.
package enum
