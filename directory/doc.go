// Package directory models a partner's organisation: its entities (networks, their schools, their classes) and the
// accounts that are attached to them.
//
// A partner is an account that the operator created; it is no entity. Its networks hang below it, schools below a
// network, classes below a school (P1). Every entity and account has two names: a [Ref], which the partner chose and
// which is unique among what is live (P2), and a number, which the service counted up and never gives again (S1).
//
// Where an entity stands decides who sees it. For a network with the schools A and B, each with classes:
//
//	tree := directory.NewTree(entities)
//	tree.Scope(network).Entities() // the network, A, B and all their classes
//	tree.Scope(schoolA).Entities() // A and its classes; nothing of B
//	tree.School(classOfA)          // A
//
// A teacher sees the scope of the entity of allocation, and the users in it (P9). The schools reports count by the
// same rule. The program examples/scope prints whom the teachers of a small network see.
//
// # Validation
//
// [Entity.Validate] brings an entity into the form in which it is kept and names all its faults at once, one a field,
// in the words of Ecto (P4). It is the one rule for the feed and for the API; what needs the other rows (is the
// reference taken, does the parent exist) is for the caller, who has them.
//
// # Writing and listing
//
// A [Store] keeps all this for the partners, who write it through the API:
//
//	school, err := store.CreateEntity(ctx, partner, directory.EntityInput{Name: name, …})
//	var faults directory.FieldErrors
//	if errors.As(err, &faults) { … } // such as parent_reference_id does not exist
//
// What was sent comes as [Field], since a member that is null, one that was left out and one that is no text each mean
// something else (P4, P5). The rules that need no other row are methods of the inputs, [EntityInput.Entity] and the like,
// so that every Store has the same ones.
//
// Lists are ordered by creation, which is by number, and are read a [Page] at a time from a [Cursor]. A cursor is the number
// of a row and not a count of rows, so that no row is skipped or shown twice when others come and go (P8).
//
// # Deleted rows
//
// Deleted entities and accounts stay in the store, marked: an account keeps the school and the class of an entity that
// was deleted (S1), and past reading stays in the reports (P7). So a [Tree] takes all entities, and a [Scope] tells
// apart what is shown as an entity ([Scope.Entity]) from what lies below ([Scope.Below]).
//
// # Design
//
// A text that is null is the empty string: neither the spec nor the feed tells the two apart, and the structs stay
// comparable with ==. Numbers that are none are 0.
//
// A tree goes up through its parents at every question: there are three levels, so that an index of ancestors would
// cost more memory than it saves time.
//
// # What it does not do
//
// It keeps nothing (directorydb does), speaks no HTTP, and assigns no numbers.
package directory
