package directory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/directory"
)

// school returns a valid school.
func school() directory.Entity {
	return directory.Entity{
		Ref: "escola-1", Type: directory.School, Name: "Escola Um", Degree: "F", INEP: "35000012", State: "SP", City: "Bauru", Parent: 1,
	}
}

func TestValidateFaults(t *testing.T) {
	for _, c := range []struct {
		rule    string
		change  func(*directory.Entity)
		field   string
		message string // empty = no fault
	}{
		{"a valid school", func(e *directory.Entity) {}, "", ""},
		{"optional fields may be null", func(e *directory.Entity) { e.INEP, e.State, e.City = "", "", "" }, "", ""},
		{"name missing", func(e *directory.Entity) { e.Name = "" }, "name", "can't be blank"},
		{"name of spaces", func(e *directory.Entity) { e.Name = " \t\u00a0 " }, "name", "can't be blank"},
		{"name of 255 characters", func(e *directory.Entity) { e.Name = strings.Repeat("ã", 255) }, "", ""},
		{"name of 255 characters after trimming", func(e *directory.Entity) { e.Name = " " + strings.Repeat("ã", 255) + " " }, "", ""},
		{"name of 256 characters", func(e *directory.Entity) { e.Name = strings.Repeat("ã", 256) }, "name", "should be at most 255 character(s)"},
		{"name with NUL", func(e *directory.Entity) { e.Name = "a\x00b" }, "name", "is invalid"},
		{"name not UTF-8", func(e *directory.Entity) { e.Name = "Jos\xe9" }, "name", "is invalid"},
		{"type missing", func(e *directory.Entity) { e.Type = 0 }, "entity_type", "can't be blank"},
		{"type unknown", func(e *directory.Entity) { e.Type = 4 }, "entity_type", "is invalid"},
		{"degree missing", func(e *directory.Entity) { e.Degree = "" }, "degree", "can't be blank"},
		{"degree of spaces", func(e *directory.Entity) { e.Degree = "  " }, "degree", "can't be blank"},
		{"degree unknown", func(e *directory.Entity) { e.Degree = "10" }, "degree", "is invalid"},
		{"degree in lower case", func(e *directory.Entity) { e.Degree = "f" }, "degree", "is invalid"},
		{"inep of one digit", func(e *directory.Entity) { e.INEP = "7" }, "", ""},
		{"inep of 8 digits", func(e *directory.Entity) { e.INEP = "12345678" }, "", ""},
		{"inep of 9 digits", func(e *directory.Entity) { e.INEP = "123456789" }, "inep", "is invalid"},
		{"inep with a letter", func(e *directory.Entity) { e.INEP = "1234567a" }, "inep", "is invalid"},
		{"inep with other digits", func(e *directory.Entity) { e.INEP = "٣٤" }, "inep", "is invalid"},
		{"inep with spaces", func(e *directory.Entity) { e.INEP = " 123" }, "inep", "is invalid"},
		{"state in lower case", func(e *directory.Entity) { e.State = "rj" }, "", ""},
		{"state that Brazil does not have", func(e *directory.Entity) { e.State = "XX" }, "", ""},
		{"state of a letter and a digit", func(e *directory.Entity) { e.State = "S1" }, "state", "is invalid"},
		{"state of one letter", func(e *directory.Entity) { e.State = "S" }, "state", "is invalid"},
		{"state of three letters", func(e *directory.Entity) { e.State = "SPA" }, "state", "is invalid"},
		{"state of a letter and a space", func(e *directory.Entity) { e.State = "P " }, "state", "is invalid"},
		{"state of a space and a letter", func(e *directory.Entity) { e.State = " A" }, "state", "is invalid"},
		{"state of one letter of two bytes", func(e *directory.Entity) { e.State = "É" }, "state", "is invalid"},
		{"state whose upper case would be ASCII letters", func(e *directory.Entity) { e.State = "ſp" }, "state", "is invalid"},
		{"city of 255 characters", func(e *directory.Entity) { e.City = strings.Repeat("ã", 255) }, "", ""},
		{"city of 256 characters", func(e *directory.Entity) { e.City = strings.Repeat("ã", 256) }, "city", "should be at most 255 character(s)"},
		{"city with NUL", func(e *directory.Entity) { e.City = "\x00" }, "city", "is invalid"},
		{"reference missing", func(e *directory.Entity) { e.Ref = "" }, "reference_id", "can't be blank"},
		{"reference of spaces", func(e *directory.Entity) { e.Ref = "   " }, "reference_id", "can't be blank"},
		{"reference of 256 characters", func(e *directory.Entity) { e.Ref = directory.Ref(strings.Repeat("x", 256)) }, "reference_id", "should be at most 255 character(s)"},
		{"reference with a control character", func(e *directory.Entity) { e.Ref = "a\tb" }, "reference_id", "is invalid"},
		{"reference of two dots", func(e *directory.Entity) { e.Ref = ".." }, "reference_id", "is invalid"},
	} {
		e := school()
		c.change(&e)
		in := e
		f := e.Validate(directory.DefaultDegrees())
		if c.message == "" {
			if f != nil {
				t.Errorf("%s: Validate(%+v) = %v, want none", c.rule, in, f)
			}
			continue
		}
		if len(f) != 1 || f[0] != (directory.FieldError{Field: c.field, Message: c.message}) {
			t.Errorf("%s: Validate(%+v) = %v, want %s %s", c.rule, in, f, c.field, c.message)
		}
	}
}

func TestValidateNormalises(t *testing.T) {
	for _, c := range []struct {
		rule     string
		in, want directory.Entity
	}{
		{"only the ends of a name are trimmed",
			directory.Entity{Ref: "a", Type: directory.School, Name: "\n Escola  Um\u00a0", Degree: "F"},
			directory.Entity{Ref: "a", Type: directory.School, Name: "Escola  Um", Degree: "F"}},
		{"state in upper case",
			directory.Entity{Ref: "a", Type: directory.School, Name: "E", Degree: "F", State: "mG"},
			directory.Entity{Ref: "a", Type: directory.School, Name: "E", Degree: "F", State: "MG"}},
		{"inep stays on a school",
			directory.Entity{Ref: "a", Type: directory.School, Name: "E", Degree: "F", INEP: "00000012"},
			directory.Entity{Ref: "a", Type: directory.School, Name: "E", Degree: "F", INEP: "00000012"}},
		{"inep of a network is null, valid or not",
			directory.Entity{Ref: "a", Type: directory.Network, Name: "E", Degree: "F", INEP: "no number"},
			directory.Entity{Ref: "a", Type: directory.Network, Name: "E", Degree: "F"}},
		{"inep of a class is null",
			directory.Entity{Ref: "a", Type: directory.Class, Name: "E", Degree: "9", INEP: "12"},
			directory.Entity{Ref: "a", Type: directory.Class, Name: "E", Degree: "9"}},
		{"optional fields of spaces are null",
			directory.Entity{Ref: "a", Type: directory.School, Name: "E", Degree: "F", INEP: " ", State: "  ", City: "\t"},
			directory.Entity{Ref: "a", Type: directory.School, Name: "E", Degree: "F"}},
		{"other fields are unchanged",
			directory.Entity{ID: 7, Ref: " r ", Type: directory.Class, Name: "E", Degree: "9", City: " Bauru ", Parent: 3, Deleted: true},
			directory.Entity{ID: 7, Ref: " r ", Type: directory.Class, Name: "E", Degree: "9", City: " Bauru ", Parent: 3, Deleted: true}},
	} {
		got := c.in
		if f := got.Validate(directory.DefaultDegrees()); f != nil || got != c.want {
			t.Errorf("%s: Validate(%+v) = %v and %+v, want %+v", c.rule, c.in, f, got, c.want)
		}
	}
}

// TestStates tests that of all pairs of ASCII characters only two letters are a state, in either case, stored in upper
// case (P3).
func TestStates(t *testing.T) {
	letter := func(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }
	for a := byte(0); a < 128; a++ {
		for b := byte(0); b < 128; b++ {
			s := string([]byte{a, b})
			e := school()
			e.State = s
			want := letter(a) && letter(b)
			if blank := strings.TrimSpace(s) == ""; (e.Validate(directory.DefaultDegrees()) == nil) != (want || blank) {
				t.Errorf("Validate(state %q) passes = %t, want %t", s, !want, want)
			}
			if want && e.State != strings.ToUpper(s) {
				t.Errorf("Validate(state %q) keeps %q, want it in upper case", s, e.State)
			}
		}
	}
}

// TestValidateAll tests that all faults are returned together, one a field, in order (P4).
func TestValidateAll(t *testing.T) {
	e := directory.Entity{Ref: "\n", Type: directory.School, INEP: "x", State: "??", City: strings.Repeat("c", 256)}
	got := e.Validate(directory.DefaultDegrees())
	const want = "name can't be blank; degree can't be blank; inep is invalid; state is invalid; " +
		"city should be at most 255 character(s); reference_id can't be blank"
	if got.Error() != want {
		t.Errorf("Validate(all wrong) = %v\nwant %s", got, want)
	}
	if f := new(directory.Entity).Validate(nil); f.Error() !=
		"name can't be blank; entity_type can't be blank; degree can't be blank; reference_id can't be blank" {
		t.Errorf("Validate(zero entity) = %v", f)
	}
}

func TestFieldErrors(t *testing.T) {
	var f directory.FieldErrors
	if f.Err() != nil || f.Error() != "" || f.Message("name") != "" {
		t.Errorf("zero FieldErrors = %v, want none", f.Err())
	}
	f.Add("reference_id", directory.MsgTaken)
	f.Add("name", directory.MsgAtMost(64))
	f.Add("reference_id", directory.MsgInvalid)
	if got, want := f.Error(), "reference_id has already been taken; name should be at most 64 character(s)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	var typed directory.FieldErrors
	if !errors.As(f.Err(), &typed) || typed.Message("name") != directory.MsgAtMost(64) || typed.Message("city") != "" {
		t.Errorf("errors.As(%v) = %v, want the same", f.Err(), typed)
	}
}
