package main

import (
	"fmt"
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
	local IFS=$'\n'
	COMPREPLY=($("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
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
	for _, p := range proposals(s.model.Node, words[:len(words)-1], last) {
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

// proposals returns what can stand after the words before: a command, a flag where one was begun, or one of a flag's or an
// argument's own values. It is nothing where any text can stand.
func proposals(node *kong.Node, before []string, last string) []proposal {
	var value *kong.Flag // that waits for its value
	arguments := 0
	for _, word := range before {
		switch child := childOf(node, word); {
		case word == "=": // bash makes a word of it
		case value != nil:
			value = nil
		case strings.HasPrefix(word, "-"):
			value = flagOf(node, word)
		case child != nil:
			node = child
		default:
			arguments++
		}
	}
	switch {
	case value != nil:
		return enum(value.Value)
	case strings.HasPrefix(last, "-"):
		return flags(node)
	case arguments < len(node.Positional):
		return enum(node.Positional[arguments])
	}
	return children(node)
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
func enum(v *kong.Value) (list []proposal) {
	if v.Enum == "" {
		return nil
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			list = append(list, proposal{word, v.Help})
		}
	}
	return list
}
