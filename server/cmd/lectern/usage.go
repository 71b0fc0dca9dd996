package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/server/internal/nearest"
)

// usageErrors say what is wrong with a command line in the place of what kong says: $1 and so on are what it names.
var usageErrors = []struct {
	kong *regexp.Regexp
	say  func(m []string, node *kong.Node) string
}{
	{regexp.MustCompile(`^unexpected argument (.*?)(?:, did you mean .*)?$`), unexpected},
	{regexp.MustCompile(`^unknown flag (--?[^,]*)(?:, did you mean .*)?$`), unknownFlag},
	{regexp.MustCompile(`^missing flags: (.*)$`), func(m []string, _ *kong.Node) string {
		return "this needs " + strings.ReplaceAll(strings.ReplaceAll(m[1], "=", " "), ", --", " and --")
	}},
	{regexp.MustCompile(`^missing positional arguments (.*)$`), func(_ []string, node *kong.Node) string { return "this needs " + arguments(node) }},
	{regexp.MustCompile(`^expected (?:one of )?(".*)$`), func(_ []string, node *kong.Node) string { return incomplete(node) }},
	{regexp.MustCompile(`^(\S+): expected \S+ value but got ".*" \(<EOL>\)$`), func(m []string, _ *kong.Node) string {
		return m[1] + " needs a value"
	}},
	{regexp.MustCompile(`^(\S+): expected \S+ value but got "(.*?)" \(.*$`), func(m []string, _ *kong.Node) string {
		return fmt.Sprintf("%s needs a value, and %s is none", m[1], m[2])
	}},
	{regexp.MustCompile(`^(\S+) must be one of (.*) but got "(.*?)"(.*)$`), func(m []string, _ *kong.Node) string {
		return fmt.Sprintf("%s is %s, not %q%s", m[1], choices(m[2]), m[3], m[4])
	}},
	{regexp.MustCompile(`^(\S+): bool value must be .* but got "(.*?)"(.*)$`), func(m []string, _ *kong.Node) string {
		return fmt.Sprintf("%s is true or false, not %q%s", m[1], m[2], m[3])
	}},
	{regexp.MustCompile(`^unexpected flag argument "(.*)"$`), func(m []string, _ *kong.Node) string {
		return fmt.Sprintf("a flag that has no value was given %q", m[1])
	}},
}

// fromVariable is what kong says of a value that came from the environment.
var fromVariable = regexp.MustCompile(`^(.*) \(from envar (\w+)=".*"\)$`)

// explainUsage returns the error of a wrong command line as a sentence that ends with the call that helps.
func explainUsage(err error) error {
	text, node := err.Error(), (*kong.Node)(nil)
	words := "lectern"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok {
		node = parse.Context.Model.Node
		for _, p := range parse.Context.Path {
			if p.Command != nil {
				node = p.Command
				words += " " + p.Command.Name
			}
		}
	}
	where := ""
	if m := fromVariable.FindStringSubmatch(text); m != nil {
		text, where = m[1], " (from "+m[2]+")"
	}
	for _, e := range usageErrors {
		if m := e.kong.FindStringSubmatch(text); m != nil && node != nil {
			text = e.say(m, node)
			break
		}
	}
	return fmt.Errorf("%s%s; see %s --help", text, where, words)
}

// unexpected says what can stand in the place of a word.
func unexpected(m []string, node *kong.Node) string {
	if len(node.Children) == 0 {
		if len(node.Positional) == 0 {
			return fmt.Sprintf("%q is too much: this takes no arguments", m[1])
		}
		return fmt.Sprintf("%q is too much: this takes %s alone", m[1], arguments(node))
	}
	names := visible(node)
	if name, ok := nearest.Name(m[1], names); ok {
		return fmt.Sprintf("%q is no command; is %s meant?", m[1], name)
	}
	return fmt.Sprintf("%q is no command; choose %s", m[1], alternatives(names))
}

// unknownFlag names the flag that was meant, or where all are listed.
func unknownFlag(m []string, node *kong.Node) string {
	var names []string
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			names = append(names, "--"+f.Name)
		}
	}
	if name, ok := nearest.Name(m[1], names); ok {
		return fmt.Sprintf("there is no flag %s here; is %s meant?", m[1], name)
	}
	return fmt.Sprintf("there is no flag %s here", m[1])
}

// incomplete says what must follow a command.
func incomplete(node *kong.Node) string {
	if len(node.Children) == 0 {
		return "this needs " + arguments(node)
	}
	return "a command must follow: " + alternatives(visible(node))
}

// visible returns the names of a command's commands.
func visible(node *kong.Node) (names []string) {
	for _, c := range children(node) {
		names = append(names, c.word)
	}
	return names
}

// arguments names a command's arguments as its help does.
func arguments(node *kong.Node) string {
	var names []string
	for _, a := range node.Positional {
		names = append(names, a.Summary())
	}
	return strings.Join(names, " ")
}

// choices writes kong's list of quoted values as text, without the empty one.
func choices(list string) string {
	words := strings.Split(strings.ReplaceAll(list, `"`, ""), ",")
	return alternatives(slices.DeleteFunc(words, func(w string) bool { return w == "" }))
}
