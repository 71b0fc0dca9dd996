package commandline

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/server/internal/nearest"
)

// wrong is what kong says of a wrong command line, and what is said in its place: a text in which $1 and so on are what kong
// names, or a function of the first of them and the command.
type wrong struct {
	kong *regexp.Regexp
	text string
	say  func(named string, node *kong.Node) string
}

var wrongs = []wrong{
	{kong: regexp.MustCompile(`^unexpected argument (.*?)(?:, did you mean .*)?$`), say: unexpected},
	{kong: regexp.MustCompile(`^unknown flag (--?[^,]*)(?:, did you mean .*)?$`), say: unknownFlag},
	{kong: regexp.MustCompile(`^missing flags: (.*)$`), say: func(flags string, _ *kong.Node) string {
		return "this needs " + strings.NewReplacer("=", " ", ", --", " and --").Replace(flags)
	}},
	{kong: regexp.MustCompile(`^missing positional arguments (.*)$`), say: incomplete},
	{kong: regexp.MustCompile(`^expected (?:one of )?(".*)$`), say: incomplete},
	{kong: regexp.MustCompile(`^(\S+): expected \S+ value but got ".*" \(<EOL>\)$`), text: "$1 needs a value"},
	{kong: regexp.MustCompile(`^(\S+): expected \S+ value but got "(.*?)" \(.*$`), text: "$1 needs a value, and $2 is none"},
	{kong: regexp.MustCompile(`^(\S+ must be one of .* but got ".*?")$`), say: choice},
	{kong: regexp.MustCompile(`^(\S+): bool value must be .* but got (".*?")$`), text: "$1 is true or false, not $2"},
	{kong: regexp.MustCompile(`^unexpected flag argument (".*")$`), text: "a flag that has no value was given $1"},
}

// fromVariable is what kong says of a value that came from the environment.
var fromVariable = regexp.MustCompile(`^(.*) \(from envar (\w+)=".*"\)$`)

// Explain returns the error of a wrong command line as a sentence that ends with the call that helps.
func Explain(err error) error {
	parse, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return err
	}
	node := parse.Context.Model.Node
	words := node.Name
	for _, p := range parse.Context.Path {
		if p.Command != nil {
			node = p.Command
			words += " " + node.Name
		}
	}
	text, where := err.Error(), ""
	if m := fromVariable.FindStringSubmatch(text); m != nil {
		text, where = m[1], " (from "+m[2]+")"
	}
	for _, w := range wrongs {
		m := w.kong.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		if w.say != nil {
			text = w.say(text[m[2]:m[3]], node)
		} else {
			text = string(w.kong.ExpandString(nil, w.text, text, m))
		}
		break
	}
	return fmt.Errorf("%s%s; see %s --help", text, where, words)
}

// unexpected says what can stand in the place of a word.
func unexpected(word string, node *kong.Node) string {
	names := words(commands(node))
	switch near, ok := nearest.Name(word, names); {
	case len(names) == 0 && len(node.Positional) == 0:
		return fmt.Sprintf("%q is too much: this takes no arguments", word)
	case len(names) == 0:
		return fmt.Sprintf("%q is too much: this takes %s alone", word, arguments(node))
	case ok:
		return fmt.Sprintf("%q is no command; is %s meant?", word, near)
	}
	return fmt.Sprintf("%q is no command; choose %s", word, alternatives(names))
}

// unknownFlag names the flag that was meant, where one is near.
func unknownFlag(flag string, node *kong.Node) string {
	text := fmt.Sprintf("there is no flag %s here", flag)
	if near, ok := nearest.Name(flag, words(flags(node))); ok {
		text += fmt.Sprintf("; is %s meant?", near)
	}
	return text
}

// incomplete says what must follow a command.
func incomplete(_ string, node *kong.Node) string {
	if len(node.Children) == 0 {
		return "this needs " + arguments(node)
	}
	return "a command must follow: " + alternatives(words(commands(node)))
}

// arguments names a command's arguments as its help does.
func arguments(node *kong.Node) string {
	var names []string
	for _, a := range node.Positional {
		names = append(names, a.Summary())
	}
	return strings.Join(names, " ")
}

// choice says which values a flag or an argument has, of what kong says of that; an empty one is not named.
func choice(said string, _ *kong.Node) string {
	name, rest, _ := strings.Cut(said, " must be one of ")
	list, got, _ := strings.Cut(rest, " but got ")
	values := strings.Split(strings.ReplaceAll(list, `"`, ""), ",")
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	return name + " is " + alternatives(values) + ", not " + got
}

func words(list []Proposal) []string {
	var all []string
	for _, p := range list {
		all = append(all, p.Word)
	}
	return all
}
