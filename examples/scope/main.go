// Scope prints whom a teacher sees: by the rule of the spec, the entity of allocation and all below it.
package main

import (
	"fmt"

	"github.com/lectern-dev/lectern/directory"
)

// A network with the schools A and B, and who is attached where.
var (
	entities = []directory.Entity{
		{ID: 1, Type: directory.Network, Name: "Rede"},
		{ID: 2, Type: directory.School, Name: "A", Parent: 1},
		{ID: 3, Type: directory.School, Name: "B", Parent: 1},
		{ID: 4, Type: directory.Class, Name: "A-7", Parent: 2},
		{ID: 5, Type: directory.Class, Name: "A-8", Parent: 2, Deleted: true},
		{ID: 6, Type: directory.Class, Name: "B-7", Parent: 3},
	}
	readers = []directory.Account{
		{ID: 1, Kind: directory.Reader, Name: "Ana", Entity: 4},
		{ID: 2, Kind: directory.Reader, Name: "Bia", Entity: 5}, // keeps her place when the class goes
		{ID: 3, Kind: directory.Reader, Name: "Caio", Entity: 6},
	}
)

func main() {
	tree := directory.NewTree(entities)
	for _, allocation := range []directory.EntityID{1, 2, 4} {
		e, _ := tree.Entity(allocation)
		fmt.Printf("a teacher of the %s %s sees\n", e.Type, e.Name)
		scope := tree.Scope(allocation)
		for _, id := range scope.Entities() {
			below, _ := tree.Entity(id)
			fmt.Printf("\t%s %s\n", below.Type, below.Name)
		}
		for _, r := range readers {
			if scope.User(r) {
				fmt.Printf("\t%s %s\n", r.Kind, r.Name)
			}
		}
	}
}
