package commandline

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Scripts define for the shells bash, zsh and fish what hands the words of a command line to the program's command `complete`.
// Where that knows nothing, shells complete the names of files.
//
//go:embed lectern.bash lectern.zsh lectern.fish
var Scripts embed.FS

// Proposal is a word that can stand next, and what it means.
type Proposal struct{ Word, Help string }

// Typed is what was typed before the word that is to be completed.
type Typed struct {
	Value *kong.Value       // the flag that waits for its value, or the argument that comes next
	Flags map[string]string // the values that were given
	node  *kong.Node        // the command
	flag  bool              // Value is a flag's
}

// Complete writes what can stand in the place of the last of the words and begins as it does, a line each with a tab and what it
// means. values returns what the flag or the argument can have that is typed. The words may begin with a -- of their own.
func Complete(w io.Writer, k *kong.Kong, words []string, values func(Typed) []Proposal) error {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	typed, err := read(k, before)
	if err != nil {
		return err
	}
	for _, p := range typed.proposals(last, values) {
		if !strings.HasPrefix(p.Word, last) {
			continue
		}
		help := cmp.Or(strings.Join(strings.Fields(p.Help), " "), p.Word) // it is on one line, and is not empty
		if _, err := fmt.Fprintf(w, "%s\t%s\n", p.Word, help); err != nil {
			return err
		}
	}
	return nil
}

// read reads words, the last of which may be a flag that waits for its value.
func read(k *kong.Kong, before []string) (Typed, error) {
	before = joined(before)
	trace, err := kong.Trace(k, before) // where it cannot go on, it has come as far as it could
	if err != nil {
		return Typed{}, err
	}
	t := Typed{node: k.Model.Node, Flags: make(map[string]string)}
	arguments := 0
	for _, p := range trace.Path {
		switch {
		case p.Command != nil:
			t.node = p.Command
		case p.Flag != nil:
			t.Flags[p.Flag.Name] = fmt.Sprint(trace.FlagValue(p.Flag))
		case p.Positional != nil:
			arguments++
		}
	}
	if arguments < len(t.node.Positional) {
		t.Value = t.node.Positional[arguments]
	}
	if n := len(before); n > 0 {
		for _, f := range slices.Concat(t.node.AllFlags(false)...) {
			if "--"+f.Name == strings.TrimSuffix(before[n-1], "=") && !f.IsBool() {
				t.Value, t.flag = f.Value, true
			}
		}
	}
	return t, nil
}

// joined joins what bash takes apart at : and @, as those of URLs, and at = between a flag and its value.
func joined(words []string) (list []string) {
	join := false
	for _, word := range words {
		apart := word == ":" || word == "@" || word == "="
		if n := len(list); n > 0 && (apart || join) {
			list[n-1] += word
		} else {
			list = append(list, word)
		}
		join = apart
	}
	return list
}

// proposals returns what can stand next: a command, a flag where one was begun, or one of the values of a flag or an argument.
// It is nothing where any text can stand.
func (t Typed) proposals(last string, values func(Typed) []Proposal) []Proposal {
	switch {
	case !t.flag && strings.HasPrefix(last, "-"):
		return flags(t.node)
	case t.Value == nil:
		return commands(t.node)
	}
	return values(t)
}

// Enum returns the values that a flag or argument can have, where those are a list.
func Enum(v *kong.Value) (list []Proposal) {
	for _, word := range v.EnumSlice() {
		if word != "" {
			list = append(list, Proposal{word, v.Help})
		}
	}
	return list
}

func flags(node *kong.Node) (list []Proposal) {
	for _, f := range slices.Concat(node.AllFlags(true)...) {
		list = append(list, Proposal{"--" + f.Name, f.Help})
	}
	return list
}

func commands(node *kong.Node) (list []Proposal) {
	for _, child := range node.Children {
		if !child.Hidden {
			list = append(list, Proposal{child.Name, child.Help})
		}
	}
	return list
}
