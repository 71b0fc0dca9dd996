package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says where the script goes.
func (c *completionCmd) Help() string {
	return `The script asks lectern itself for what can follow, so that it need not be made anew for a new version.

  echo 'source <(lectern completion bash)' >> ~/.bashrc
  lectern completion zsh > "${fpath[1]}/_lectern"
  lectern completion fish > ~/.config/fish/completions/lectern.fish`
}

// Run prints a script.
func (c *completionCmd) Run(s *session) error {
	_, err := fmt.Fprint(s.stdout, completionScripts[c.Shell])
	return err
}

// completionScripts define for each shell what hands the words of a command line to lectern complete. Where that knows
// nothing, shells complete the names of files.
var completionScripts = map[string]string{
	"bash": `# bash completion of lectern: source <(lectern completion bash)
_lectern() {
	local word IFS=$'\n'
	COMPREPLY=()
	while read -r word; do
		COMPREPLY+=("$(printf %q "$word")")
	done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
}
complete -o default -F _lectern lectern
`,
	"zsh": `#compdef lectern
# zsh completion of lectern: in a file _lectern of a folder of fpath, or source <(lectern completion zsh)
_lectern() {
	local line
	local -a found
	for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#found )); then
		_describe lectern found
	else
		_files
	fi
}
if [[ $funcstack[1] == _lectern ]]; then
	_lectern "$@"
else
	compdef _lectern lectern
fi
`,
	"fish": `# fish completion of lectern: in ~/.config/fish/completions/lectern.fish
function __lectern_complete
	set -l before (commandline -opc)
	set -l current (commandline -ct)
	set -l found ($before[1] complete -- $before[2..-1] "$current" 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path "$current"
	end
end
complete -c lectern -f -a '(__lectern_complete)'
`,
}

type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after lectern, the last as far as it is typed."`
}

// Run prints what the last word can be, a line each with a tab and what it means.
func (c *completeCmd) Run(s *session) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" { // the one before the words
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, p := range s.proposals(words[:len(words)-1], last) {
		if strings.HasPrefix(p.word, last) {
			if _, err := fmt.Fprintf(s.stdout, "%s\t%s\n", p.word, p.help); err != nil {
				return err
			}
		}
	}
	return nil
}

// proposal is a word that can stand next.
type proposal struct{ word, help string }

// typed is what the words before the last one say.
type typed struct {
	node      *kong.Node        // the command
	value     *kong.Flag        // that waits for its value, or nil
	flags     map[string]string // the values that are given
	arguments int
}

// readTyped reads the words before the last one.
func readTyped(node *kong.Node, before []string) typed {
	t := typed{node: node, flags: make(map[string]string)}
	for _, word := range before {
		name, text, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch child := childOf(t.node, word); {
		case word == "=": // bash makes a word of it
		case t.value != nil:
			t.flags[t.value.Name], t.value = word, nil
		case strings.HasPrefix(word, "-") && given:
			t.flags[name] = text
		case strings.HasPrefix(word, "-"):
			t.value = flagOf(t.node, word)
		case child != nil:
			t.node = child
		default:
			t.arguments++
		}
	}
	return t
}

// joined joins what bash takes apart at : and @, as those of URLs.
func joined(words []string) (list []string) {
	join := false
	for _, word := range words {
		apart := word == ":" || word == "@"
		if n := len(list); n > 0 && (apart || join) {
			list[n-1] += word
		} else {
			list = append(list, word)
		}
		join = apart
	}
	return list
}

// proposals returns what can stand after the words before: a command, a flag where one was begun, or one of a flag's or an
// argument's own values. It is nothing where any text can stand.
func (s *session) proposals(before []string, last string) []proposal {
	switch t := readTyped(s.model.Node, joined(before)); {
	case t.value != nil:
		return s.values(t.value.Value, t.flags)
	case strings.HasPrefix(last, "-"):
		return flags(t.node)
	case t.arguments < len(t.node.Positional):
		return s.values(t.node.Positional[t.arguments], t.flags)
	default:
		return children(t.node)
	}
}

// childOf returns the command of a name, or nil.
func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// flagOf returns the flag that a word names and whose value is the next word, or nil.
func flagOf(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			if "--"+f.Name == word && !f.IsBool() {
				return f
			}
		}
	}
	return nil
}

func flags(node *kong.Node) (list []proposal) {
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			list = append(list, proposal{"--" + f.Name, f.Help})
		}
	}
	return list
}

func children(node *kong.Node) (list []proposal) {
	for _, child := range node.Children {
		if !child.Hidden {
			list = append(list, proposal{child.Name, child.Help})
		}
	}
	return list
}

// enum returns the values that a flag or argument can have, where those are a list.
func enum(v *kong.Value) []proposal {
	if v.Enum == "" {
		return nil
	}
	return named(slices.DeleteFunc(v.EnumSlice(), func(word string) bool { return word == "" }), v.Help)
}
