package directory_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
)

// sent returns a member of a body. null and wrong are other members.
func sent(text string) directory.Field { return directory.Field{Set: true, Text: text} }

var (
	null  = directory.Field{Set: true, Null: true}
	wrong = directory.Field{Set: true, Wrong: true}
)

// newSchool returns a valid input.
func newSchool() directory.EntityInput {
	return directory.EntityInput{
		Name: sent(" Escola Um "), EntityType: sent("school"), Degree: sent("F"), INEP: sent("35000012"), State: sent("sp"),
		City: sent("Bauru"), ReferenceID: sent("escola-1"), ParentReferenceID: sent("rede"),
	}
}

// faults are the expected messages, by field.
type faults map[string]string

func checkFaults(t *testing.T, rule string, got directory.FieldErrors, want faults) {
	t.Helper()
	byField := faults{}
	for _, f := range got {
		byField[f.Field] = f.Message
	}
	if !maps.Equal(byField, want) {
		t.Errorf("%s: faults = %v, want %v", rule, got, want)
	}
}

func TestNewEntity(t *testing.T) {
	e, f := newSchool().Entity(directory.DefaultDegrees())
	want := directory.Entity{Ref: "escola-1", Type: directory.School, Name: "Escola Um", Degree: "F", INEP: "35000012", State: "SP", City: "Bauru"}
	if e != want || len(f) != 0 {
		t.Errorf("Entity() = %+v, %v, want %+v", e, f, want)
	}
	long := strings.Repeat("ã", 256)
	const blank, invalid, most = "can't be blank", "is invalid", "should be at most 255 character(s)"
	for _, c := range []struct {
		rule   string
		change func(*directory.EntityInput)
		want   faults
	}{
		{"optional fields null", func(n *directory.EntityInput) { n.INEP, n.State, n.City = null, null, null }, nil},
		{"optional fields left out", func(n *directory.EntityInput) {
			n.INEP, n.State, n.City = directory.Field{}, directory.Field{}, directory.Field{}
		}, nil},
		{"optional fields blank", func(n *directory.EntityInput) { n.INEP, n.State, n.City = sent(""), sent(" "), sent("\t") }, nil},
		{"no fields", func(n *directory.EntityInput) { *n = directory.EntityInput{} },
			faults{"name": blank, "entity_type": blank, "degree": blank, "reference_id": blank, "parent_reference_id": blank}},
		{"required fields null", func(n *directory.EntityInput) {
			n.Name, n.EntityType, n.Degree, n.ReferenceID, n.ParentReferenceID = null, null, null, null, null
		}, faults{"name": blank, "entity_type": blank, "degree": blank, "reference_id": blank, "parent_reference_id": blank}},
		{"required fields of spaces", func(n *directory.EntityInput) {
			n.Name, n.EntityType, n.Degree, n.ReferenceID, n.ParentReferenceID = sent(" "), sent(" "), sent(" "), sent(" "), sent(" ")
		}, faults{"name": blank, "entity_type": blank, "degree": blank, "reference_id": blank, "parent_reference_id": blank}},
		{"all of a wrong type", func(n *directory.EntityInput) {
			*n = directory.EntityInput{Name: wrong, EntityType: wrong, Degree: wrong, INEP: wrong, State: wrong, City: wrong, ReferenceID: wrong, ParentReferenceID: wrong}
		}, faults{"name": invalid, "entity_type": invalid, "degree": invalid, "inep": invalid, "state": invalid, "city": invalid,
			"reference_id": invalid, "parent_reference_id": invalid}},
		{"all too long or unknown", func(n *directory.EntityInput) {
			n.Name, n.EntityType, n.Degree, n.State, n.City, n.ReferenceID = sent(long), sent("School"), sent("10"), sent("X1"), sent(long), sent(long)
		}, faults{"name": most, "entity_type": invalid, "degree": invalid, "state": invalid, "city": most, "reference_id": most}},
		{"name of 255 characters", func(n *directory.EntityInput) { n.Name = sent(" " + long[2:] + " ") }, nil},
		{"reference of 255 characters", func(n *directory.EntityInput) { n.ReferenceID = sent(long[2:]) }, nil},
		{"reference of a dot", func(n *directory.EntityInput) { n.ReferenceID = sent(".") }, faults{"reference_id": invalid}},
		{"inep of 8 digits", func(n *directory.EntityInput) { n.INEP = sent("12345678") }, nil},
		{"inep of 9 digits", func(n *directory.EntityInput) { n.INEP = sent("123456789") }, faults{"inep": invalid}},
		{"inep of a class is null, valid or not", func(n *directory.EntityInput) { n.EntityType, n.INEP = sent("class"), sent("123456789") }, nil},
		{"inep of a class of a wrong type", func(n *directory.EntityInput) { n.EntityType, n.INEP = sent("class"), wrong }, faults{"inep": invalid}},
	} {
		n := newSchool()
		c.change(&n)
		e, f := n.Entity(directory.DefaultDegrees())
		checkFaults(t, c.rule, f, c.want)
		if e.Type != directory.School && e.INEP != "" {
			t.Errorf("%s: inep = %q, want null", c.rule, e.INEP)
		}
	}
}

func TestEntityChange(t *testing.T) {
	stored := directory.EntityRecord{Entity: school(), ParentRef: "rede"}
	const blank, invalid, fixed = "can't be blank", "is invalid", "can't be changed"
	for _, c := range []struct {
		rule   string
		change directory.EntityInput
		want   func(*directory.Entity)
		faults faults
	}{
		{"nothing", directory.EntityInput{}, func(*directory.Entity) {}, nil},
		{"name, trimmed", directory.EntityInput{Name: sent(" Nova ")}, func(e *directory.Entity) { e.Name = "Nova" }, nil},
		{"degree, state, city, inep",
			directory.EntityInput{Degree: sent("9"), State: sent("mg"), City: sent("Betim"), INEP: sent("1")},
			func(e *directory.Entity) { e.Degree, e.State, e.City, e.INEP = "9", "MG", "Betim", "1" }, nil},
		{"optional fields cleared by null", directory.EntityInput{State: null, City: null, INEP: null},
			func(e *directory.Entity) { e.State, e.City, e.INEP = "", "", "" }, nil},
		{"optional fields cleared by blanks", directory.EntityInput{State: sent(""), City: sent(" "), INEP: sent("")},
			func(e *directory.Entity) { e.State, e.City, e.INEP = "", "", "" }, nil},
		{"required fields null", directory.EntityInput{Name: null, Degree: null}, nil, faults{"name": blank, "degree": blank}},
		{"required fields blank", directory.EntityInput{Name: sent(" "), Degree: sent("")}, nil, faults{"name": blank, "degree": blank}},
		{"wrong types", directory.EntityInput{Name: wrong, Degree: wrong, State: wrong, City: wrong, INEP: wrong}, nil,
			faults{"name": invalid, "degree": invalid, "state": invalid, "city": invalid, "inep": invalid}},
		{"unknown values", directory.EntityInput{Degree: sent("10"), State: sent("X1"), INEP: sent("x")}, nil,
			faults{"degree": invalid, "state": invalid, "inep": invalid}},
		{"fixed fields unchanged",
			directory.EntityInput{EntityType: sent("school"), ReferenceID: sent("escola-1"), ParentReferenceID: sent("rede")},
			func(*directory.Entity) {}, nil},
		{"fixed fields changed",
			directory.EntityInput{EntityType: sent("class"), ReferenceID: sent("Escola-1"), ParentReferenceID: sent("rede ")}, nil,
			faults{"entity_type": fixed, "reference_id": fixed, "parent_reference_id": fixed}},
		{"fixed fields null", directory.EntityInput{EntityType: null, ReferenceID: null, ParentReferenceID: null}, nil,
			faults{"entity_type": fixed, "reference_id": fixed, "parent_reference_id": fixed}},
		{"fixed fields of a wrong type", directory.EntityInput{EntityType: wrong, ReferenceID: wrong, ParentReferenceID: wrong}, nil,
			faults{"entity_type": fixed, "reference_id": fixed, "parent_reference_id": fixed}},
		{"faults of all kinds together", directory.EntityInput{Name: null, State: sent("X1"), ReferenceID: sent("x")}, nil,
			faults{"name": blank, "state": invalid, "reference_id": fixed}},
	} {
		got, f := c.change.Apply(stored, directory.DefaultDegrees())
		checkFaults(t, c.rule, f, c.faults)
		if c.want == nil {
			continue
		}
		want := stored.Entity
		if c.want(&want); got != want {
			t.Errorf("%s: Apply() = %+v, want %+v", c.rule, got, want)
		}
	}
}

// TestEntityChangeKeeps tests that an entity keeps a degree that has left the vocabulary until a degree is sent.
func TestEntityChangeKeeps(t *testing.T) {
	stored := directory.EntityRecord{Entity: school()}
	stored.Degree = "old"
	got, f := directory.EntityInput{Name: sent("Nova")}.Apply(stored, directory.DefaultDegrees())
	if len(f) != 0 || got.Degree != "old" || got.Name != "Nova" {
		t.Errorf("Apply(name) = %+v, %v, want degree old", got, f)
	}
	_, f = directory.EntityInput{Degree: sent("old")}.Apply(stored, directory.DefaultDegrees())
	checkFaults(t, "degree sent", f, faults{"degree": "is invalid"})
}

// TestEntityChangeINEP tests that only a school has an INEP code: a class ignores it.
func TestEntityChangeINEP(t *testing.T) {
	stored := directory.EntityRecord{Entity: directory.Entity{Ref: "t", Type: directory.Class, Name: "T", Degree: "9"}}
	for _, inep := range []directory.Field{sent("12"), sent("no number"), null} {
		if got, f := (directory.EntityInput{INEP: inep}).Apply(stored, directory.DefaultDegrees()); got != stored.Entity || len(f) != 0 {
			t.Errorf("Apply(inep %+v) on a class = %+v, %v, want no change", inep, got, f)
		}
	}
}

func teacher() directory.TeacherInput {
	return directory.TeacherInput{
		Name: sent(" Ana Sá "), Email: sent("ana@escola.example"), Phone: sent("+55 (11) 9"), ReferenceID: sent("prof-1"), EntityReferenceID: sent("rede"),
	}
}

func TestTeacherFaults(t *testing.T) {
	const blank, invalid = "can't be blank", "is invalid"
	long := strings.Repeat("é", 256)
	for _, c := range []struct {
		rule           string
		change         func(*directory.TeacherInput)
		create, update faults
	}{
		{"a complete teacher", func(*directory.TeacherInput) {}, nil, nil},
		{"no fields", func(n *directory.TeacherInput) { *n = directory.TeacherInput{} },
			faults{"name": blank, "reference_id": blank, "entity_reference_id": blank},
			faults{"name": blank, "reference_id": blank, "entity_reference_id": blank, "email": blank, "phone": blank}},
		{"all null", func(n *directory.TeacherInput) { *n = directory.TeacherInput{null, null, null, null, null} },
			faults{"name": blank, "reference_id": blank, "entity_reference_id": blank},
			faults{"name": blank, "reference_id": blank, "entity_reference_id": blank, "email": blank, "phone": blank}},
		{"all blank", func(n *directory.TeacherInput) {
			*n = directory.TeacherInput{sent(" "), sent(" "), sent(" "), sent(" "), sent(" ")}
		},
			faults{"name": blank, "reference_id": blank, "entity_reference_id": blank},
			faults{"name": blank, "reference_id": blank, "entity_reference_id": blank, "email": blank, "phone": blank}},
		{"all of a wrong type", func(n *directory.TeacherInput) { *n = directory.TeacherInput{wrong, wrong, wrong, wrong, wrong} },
			faults{"name": invalid, "reference_id": invalid, "entity_reference_id": invalid, "email": invalid, "phone": invalid},
			faults{"name": invalid, "reference_id": invalid, "entity_reference_id": invalid, "email": invalid, "phone": invalid}},
		{"name of 255 characters", func(n *directory.TeacherInput) { n.Name = sent(long[2:] + " ") }, nil, nil},
		{"name and reference of 256", func(n *directory.TeacherInput) { n.Name, n.ReferenceID = sent(long), sent(long) },
			faults{"name": "should be at most 255 character(s)", "reference_id": "should be at most 255 character(s)"},
			faults{"name": "should be at most 255 character(s)", "reference_id": "should be at most 255 character(s)"}},
		{"phone of 64 characters", func(n *directory.TeacherInput) { n.Phone = sent(strings.Repeat("é", 64)) }, nil, nil},
		{"phone of 65 characters", func(n *directory.TeacherInput) { n.Phone = sent(strings.Repeat("é", 65)) },
			faults{"phone": "should be at most 64 character(s)"}, faults{"phone": "should be at most 64 character(s)"}},
		{"phone with NUL", func(n *directory.TeacherInput) { n.Phone = sent("1\x002") }, faults{"phone": invalid}, faults{"phone": invalid}},
	} {
		n := teacher()
		c.change(&n)
		_, f := n.Account()
		checkFaults(t, c.rule+", created", f, c.create)
		_, f = directory.TeacherInput(n).Apply(directory.Account{ID: 7})
		checkFaults(t, c.rule+", changed", f, c.update)
	}
}

func TestTeacherAccount(t *testing.T) {
	a, f := teacher().Account()
	want := directory.Account{Ref: "prof-1", Kind: directory.Teacher, Name: "Ana Sá", Email: "ana@escola.example", Phone: "+55 (11) 9", Active: true}
	if a != want || len(f) != 0 {
		t.Errorf("Account() = %+v, %v, want %+v", a, f, want)
	}
	was := directory.Account{ID: 7, Ref: "old", Kind: directory.Teacher, AccessToken: "T", Entity: 3, Name: "x", Email: "x@y", Phone: "1"}
	want.ID, want.AccessToken, want.Entity, want.Active = 7, "T", 3, false
	if a, f := directory.TeacherInput(teacher()).Apply(was); a != want || len(f) != 0 {
		t.Errorf("Apply(inactive) = %+v, %v, want %+v, with the same token, activity and entity", a, f, want)
	}
}

func TestEmail(t *testing.T) {
	for text, ok := range map[string]bool{
		"ana@escola.example": true, "ana+b.c@sub.escola.example": true, `"a b"@escola.example`: true, "josé@escola.example": true, " ana@escola.example ": true,
		"ana": false, "ana@": false, "@escola.example": false, "ana@b@c": false, "ana@escola.example, beto@escola.example": false,
		"Ana <ana@escola.example>": false, "<ana@escola.example>": false, "ana@escola.example (Ana)": false, "ana b@escola.example": false, "g:ana@escola.example;": false, "ana@escola.example ()": false,
		"ana@escola.example\x00": false, "ana@\r\n escola.example": false, "\xff@escola.example": false,
		strings.Repeat("a", 240) + "@example.invalid": false, // 256 characters
		strings.Repeat("a", 239) + "@example.invalid": true,  // 255
	} {
		n := teacher()
		n.Email = sent(text)
		if _, f := n.Account(); (len(f) == 0) != ok {
			t.Errorf("Account(email %q) = %v, want ok = %t", text, f, ok)
		}
	}
}

// TestInputsAreStorable tests that any input without a fault can be stored.
func TestInputsAreStorable(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "sp", "F", "school", "class", "123", "a@b", "\x00", "\xff", ".", "a"}))
	field := rapid.Custom(func(t *rapid.T) directory.Field {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		return []directory.Field{{}, null, wrong, sent(text.Draw(t, "text"))}[min(kind, 3)]
	})
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) directory.Field { return field.Draw(t, name) }
		n := directory.EntityInput{draw("name"), draw("type"), draw("degree"), draw("inep"), draw("state"), draw("city"), draw("ref"), draw("parent")}
		e, f := n.Entity(directory.DefaultDegrees())
		if again := e; len(f) == 0 && (len(again.Validate(directory.DefaultDegrees())) != 0 || again != e) {
			t.Errorf("Entity(%+v) = %+v, which Validate changes or refuses", n, e)
		}
		a, f := directory.TeacherInput{draw("name"), draw("email"), draw("phone"), draw("ref"), draw("entity")}.Account()
		if len(f) > 0 {
			return
		}
		if err := directory.CheckText(a.Name, a.Email, a.Phone, string(a.Ref)); err != nil {
			t.Errorf("Account() = %+v, which cannot be stored: %v", a, err)
		}
		if _, err := directory.ParseRef(string(a.Ref)); err != nil {
			t.Errorf("Account() has the invalid reference %q", a.Ref)
		}
	})
}

func ExampleEntityInput_Entity() {
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	n := directory.EntityInput{Name: text("Turma 7A"), EntityType: text("class"), Degree: text("10"), State: text("rj"), ReferenceID: text("7a")}
	e, faults := n.Entity(directory.DefaultDegrees())
	fmt.Println(e.Type, e.State)
	fmt.Println(faults)
	// Output:
	// class RJ
	// degree is invalid; parent_reference_id can't be blank
}
