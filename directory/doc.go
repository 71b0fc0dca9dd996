// Package directory models a partner's organisation: its entities, which are networks, their schools and their classes,
// and the accounts that are attached to them.
//
// # The rules
//
// A partner is created by the operator, and is not an entity itself. Networks hang below the partner, schools below a
// network, classes below a school (P1). Every entity and account has two names: a [Ref], which the partner chose and
// which is unique among live ones (P2), and a number, which the service counted up and never gives again (S1).
//
// A teacher sees the [Scope] of the entity of allocation: that entity, all entities below it, and the users attached to
// them (P9). The schools reports count by the same rule.
//
// A deleted entity or account stays in the store, marked. An account keeps the school and the class of a deleted entity
// (S1), and its reading stays in the reports (P7). So a [Tree] contains deleted entities too, and a [Scope]
// distinguishes the visible ones ([Scope.Entity]) from all below it ([Scope.Below]).
//
// # An example
//
// A network has two schools, and the class A-8 was deleted:
//
//	number  type     name  parent
//	     1  network  Rede  the partner
//	     2  school   A     1
//	     3  school   B     1
//	     4  class    A-7   2
//	     5  class    A-8   2, deleted
//	     6  class    B-7   3
//
// Ana is a reader of A-7, Bia of A-8 and Caio of B-7. A teacher who is allocated to Rede sees the entities 1, 2, 3, 4
// and 6, and all three readers. One who is allocated to A sees 2 and 4, and Ana and Bia: Bia's class is not shown, but
// she still counts as a reader of A. In Go:
//
//	tree := directory.NewTree(entities)
//	scope := tree.Scope(2)
//	scope.Entities() // 2, 4
//	scope.User(bia)  // true
//	tree.School(5)   // 2
//
// The program examples/scope prints this for every teacher.
//
// # Validation
//
// [Entity.Validate] converts an entity to the form in which it is stored, and returns all its faults at once, at most
// one of each field, in the words of Ecto (P4). Feeds and the API use the same function:
//
//	school := directory.Entity{Ref: "b", Type: directory.School, Name: " B ", Degree: "10", State: "sp"}
//	school.Validate(directory.DefaultDegrees()) // degree is invalid; the name is now "B", and the state "SP"
//
// Rules that need other rows, such as whether a reference is free or a parent exists, are checked by the caller, who has
// those rows.
//
// # Writing and listing
//
// A [Store] stores the entities and accounts that partners write through the API:
//
//	school, err := store.CreateEntity(ctx, partner, directory.EntityInput{Name: name, …})
//	var faults directory.FieldErrors
//	if errors.As(err, &faults) { … } // such as parent_reference_id does not exist
//
// An input has a [Field] for each member of the request. It tells a member that is null from one that is absent and one
// that is not a text (P4, P5). The rules that need no other rows are methods of the inputs, such as
// [EntityInput.Entity], so that every Store has the same ones.
//
// Lists are in the order of creation, which is that of the numbers. They are read a [Page] at a time from a [Cursor]. A
// cursor is the number of a row, not a count of rows, so that no row is skipped or repeated when others are created or
// deleted (P8).
//
// # References that move
//
// A row of a feed belongs to the account that owned its reference at the row's time (F4). If the reference "t1" moves
// from the account 7 to the account 9 at noon, [RefOwners] has the history
//
//	"t1": {Account: 7}, {Since: noon, Account: 9}
//
// and [RefOwners.At] returns 7 for an event at 11:00, even if the feed with it arrives in the evening.
//
// # What it does not do
//
// It stores nothing (directorydb does), speaks no HTTP, and assigns no numbers.
//
// # Design
//
// A text that is null is the empty string. Neither the specification nor feeds distinguish the two, and the structs stay
// comparable with ==. A number that is null is 0.
//
// A [Tree] finds the entities above one by following the parents. There are three levels, so an index of ancestors was
// rejected: it would cost more memory than it saves time.
//
// The history of references contains only those that moved. To store an owner for each reference would double the rows
// of a directory, nearly all of which never move.
package directory
