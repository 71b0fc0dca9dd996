package directory_test

import (
	"fmt"

	"github.com/lectern-dev/lectern/directory"
)

// This example shows the scope rule of the spec, in a network with the schools A and B.
func ExampleTree_Scope() {
	tree := directory.NewTree([]directory.Entity{
		{ID: 1, Ref: "network", Type: directory.Network},
		{ID: 2, Ref: "A", Type: directory.School, Parent: 1},
		{ID: 3, Ref: "B", Type: directory.School, Parent: 1},
		{ID: 4, Ref: "A-1", Type: directory.Class, Parent: 2},
		{ID: 5, Ref: "A-2", Type: directory.Class, Parent: 2},
		{ID: 6, Ref: "B-1", Type: directory.Class, Parent: 3},
	})
	for id := range directory.EntityID(3) {
		var seen []directory.Ref
		for _, id := range tree.Scope(id + 1).Entities() {
			e, _ := tree.Entity(id)
			seen = append(seen, e.Ref)
		}
		e, _ := tree.Entity(id + 1)
		fmt.Println("a teacher in", e.Ref, "sees", seen)
	}
	// Output:
	// a teacher in network sees [network A B A-1 A-2 B-1]
	// a teacher in A sees [A A-1 A-2]
	// a teacher in B sees [B B-1]
}

func ExampleScope_User() {
	tree := directory.NewTree([]directory.Entity{
		{ID: 1, Type: directory.Network},
		{ID: 2, Type: directory.School, Parent: 1},
		{ID: 3, Type: directory.School, Parent: 1},
		{ID: 4, Type: directory.Class, Parent: 2},
	})
	reader := directory.Account{ID: 17, Kind: directory.Reader, Entity: 4}
	fmt.Println(tree.Scope(2).User(reader), tree.Scope(3).User(reader))
	// Output: true false
}

func ExampleTree_School() {
	tree := directory.NewTree([]directory.Entity{
		{ID: 1, Type: directory.Network},
		{ID: 2, Type: directory.School, Parent: 1, Name: "Escola A"},
		{ID: 4, Type: directory.Class, Parent: 2},
	})
	school, _ := tree.Entity(tree.School(4))
	fmt.Println(school.Name)
	// Output: Escola A
}

func ExampleEntity_Validate() {
	e := directory.Entity{Ref: "escola-7", Type: directory.School, Name: " Escola Sete ", Degree: "10", State: "sp", INEP: "123456789"}
	for _, f := range e.Validate(directory.DefaultDegrees()) {
		fmt.Println(f.Field, f.Message)
	}
	fmt.Printf("%q %s\n", e.Name, e.State)
	// Output:
	// degree is invalid
	// inep is invalid
	// "Escola Sete" SP
}

func ExampleParseRef() {
	ref, err := directory.ParseRef("escola 7/á")
	fmt.Println(ref, err)
	_, err = directory.ParseRef("..")
	fmt.Println(err)
	// Output:
	// escola 7/á <nil>
	// not a reference_id
}

func ExampleDegrees_Degree() {
	degrees := directory.DefaultDegrees()
	seventh, _ := degrees.Degree("7")
	medio, _ := degrees.Degree("M1")
	fmt.Println(seventh.Grade, seventh.Stage)
	fmt.Println(medio.Grade, medio.Stage)
	// Output:
	// 7 FUNDAMENTAL 2
	// 0 MEDIO
}

func ExampleNewAccessToken() {
	token := directory.NewAccessToken() // such as K9RM55E002SM5KEE
	fmt.Println(len(token))
	// Output: 16
}
