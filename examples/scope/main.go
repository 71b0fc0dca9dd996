// Scope prints the entities and the readers that a teacher sees: those of the entity of allocation and of all entities below it.
package main

import (
	"fmt"

	"github.com/lectern-dev/lectern/directory"
)

var entities = []directory.Entity{
	{ID: 1, Type: directory.Network, Name: "Rede"},
	{ID: 2, Type: directory.School, Name: "A", Parent: 1},
	{ID: 3, Type: directory.School, Name: "B", Parent: 1},
	{ID: 4, Type: directory.Class, Name: "A-7", Parent: 2},
	{ID: 5, Type: directory.Class, Name: "A-8", Parent: 2, Deleted: true},
	{ID: 6, Type: directory.Class, Name: "B-7", Parent: 3},
}

var readers = []directory.Account{
	{ID: 1, Kind: directory.Reader, Name: "Ana", Entity: 4},
	{ID: 2, Kind: directory.Reader, Name: "Bia", Entity: 5}, // her class was deleted: she is still seen
	{ID: 3, Kind: directory.Reader, Name: "Caio", Entity: 6},
}

func main() {
	tree := directory.NewTree(entities)
	for _, allocation := range entities[:4] {
		fmt.Printf("a teacher of the %s %s sees\n", allocation.Type, allocation.Name)
		scope := tree.Scope(allocation.ID)
		for _, id := range scope.Entities() {
			e, _ := tree.Entity(id)
			fmt.Printf("\t%s %s\n", e.Type, e.Name)
		}
		for _, r := range readers {
			if scope.User(r) {
				fmt.Printf("\t%s %s\n", r.Kind, r.Name)
			}
		}
	}
}
