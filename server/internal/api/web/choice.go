package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Choice is a value that a parameter may have, and what it means.
type Choice[E any] struct {
	Name  string
	Value E
	Also  string // is read as the name; empty is nothing else
}

// Means returns a choice.
func Means[E any](name string, value E) Choice[E] { return Choice[E]{Name: name, Value: value} }

// Named returns choices with the names that the values have themselves.
func Named[E fmt.Stringer](values ...E) []Choice[E] {
	choices := make([]Choice[E], len(values))
	for i, v := range values {
		choices[i] = Means(v.String(), v)
	}
	return choices
}

// Names returns the names of choices.
func Names[E any](choices []Choice[E]) []string {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.Name
	}
	return names
}

// Choose returns the value of a parameter that has one of the choices, compared exactly. If the parameter is absent or invalid,
// Choose returns the zero value, which is the default if it is a choice.
func Choose[E comparable](q *Query, name, about string, choices []Choice[E]) (value E) {
	if chosen := Chosen(q, name, about, choices); chosen != nil {
		return *chosen
	}
	i := slices.IndexFunc(choices, func(c Choice[E]) bool { return c.Value == value })
	if i < 0 {
		return value
	}
	q.say(name, choices[i].Name)
	p := &q.read[len(q.read)-1]
	p.Schema = p.Schema.With("default", choices[i].Name)
	return value
}

// Chosen is Choose, but returns nil if the parameter is absent or invalid.
func Chosen[E any](q *Query, name, about string, choices []Choice[E]) *E {
	v, ok := q.take(Param{Name: name, About: about, Schema: wire.Enum(Names(choices)...)})
	if !ok {
		return nil
	}
	for _, c := range choices {
		if v == c.Name || v != "" && v == c.Also {
			q.say(name, c.Name)
			return &c.Value
		}
	}
	q.Fail(name, name+" must be one of the following values: "+strings.Join(Names(choices), ", "))
	return nil
}
