package libraries_test

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/fold"
)

func TestParseGender(t *testing.T) {
	for _, test := range []struct {
		in, want string
		ok       bool
	}{
		{"Feminino", "Feminino", true},
		{"MASCULINO", "Masculino", true},
		{"nao-binario", "Não-binário", true},
		{" Não-Binário ", "Não-binário", true},
		{"outro", "Outro", true},
		{"NAO  INFORMADO", "Não informado", true},
		{"", "Não informado", true},
		{" ", "", false},
		{"nao binario", "", false},
		{"F", "", false},
		{"Feminina", "", false},
	} {
		got, ok := libraries.ParseGender(test.in)
		if ok != test.ok || ok && got.String() != test.want {
			t.Errorf("ParseGender(%q) = %v, %v, want %s, %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

func TestGenders(t *testing.T) {
	var names, folded []string
	for _, g := range libraries.Genders() {
		names = append(names, g.String())
		folded = append(folded, fold.Text(g.String()))
	}
	if want := []string{"Feminino", "Masculino", "Não informado", "Não-binário", "Outro"}; !slices.Equal(names, want) {
		t.Errorf("Genders() = %q, want %q", names, want)
	}
	if !slices.IsSorted(folded) {
		t.Errorf("Genders() = %q, want them ordered by folded name", names)
	}
	if g := (libraries.Gender)(0); g != libraries.NotInformed {
		t.Errorf("the zero Gender is %v, want Não informado", g)
	}
	if got := libraries.Gender(5).String(); got != "gender 5" {
		t.Errorf("Gender(5) = %q, want gender 5", got)
	}
}
