package libraries

import "github.com/lectern-dev/lectern/paging/row"

// Gender is a reader's gender: one of five canonical values, of which the zero Gender says that none is known (L18).
type Gender uint8

// The canonical genders.
const (
	NotInformed Gender = iota
	Female
	Male
	NonBinary
	OtherGender
)

var genders = [...]string{
	NotInformed: "Não informado", Female: "Feminino", Male: "Masculino", NonBinary: "Não-binário", OtherGender: "Outro",
}

// Genders returns the canonical genders, ordered by folded name as the dimensions list them (L16).
func Genders() []Gender { return []Gender{Female, Male, NotInformed, NonBinary, OtherGender} }

// String returns the gender as the reports show it: Feminino, Masculino, Não-binário, Outro, Não informado.
func (g Gender) String() string { return row.NameOf(genders[:], "gender", g) }

// ParseGender returns the gender whose name folds as the text does, so that FEMININO and nao informado are taken. An
// empty text is no gender, which is NotInformed. It returns false for a text that folds to no canonical value.
func ParseGender(text string) (Gender, bool) {
	if text == "" {
		return NotInformed, true
	}
	text = Fold(text)
	for g, name := range genders {
		if Fold(name) == text {
			return Gender(g), true
		}
	}
	return 0, false
}
