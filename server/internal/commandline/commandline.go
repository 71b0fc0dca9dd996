// Package commandline adds to kong texts of help, a warning of variables that no command reads, and types of flags.
package commandline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/server/internal/nearest"
)

// Details gives commands what their help says besides their flags: sections of a text, each under a line of == and the words of
// a command.
func Details(text string) kong.Option {
	details := make(map[string]string)
	for section := range strings.SplitSeq("\n"+text, "\n== ") {
		command, detail, _ := strings.Cut(section, "\n")
		details[command] = strings.TrimSpace(detail)
	}
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, leaf := range k.Model.Leaves(true) {
			leaf.Detail = details[strings.TrimPrefix(leaf.FullPath(), k.Model.Name+" ")]
		}
		return nil
	})
}

// Variables are those of an environment that a program may read: all of a prefix, but what begins with PassedOver.
type Variables struct {
	Prefix, PassedOver string
	Besides            []string // that no flag has
}

// Unread returns a sentence for each of the variables that no command reads, since a mistyped one would be passed over in
// silence. One that another command reads is none: an environment is often shared.
func (v Variables) Unread(model *kong.Application, environ []string) (sentences []string) {
	known := v.Besides
	for _, node := range append(model.Leaves(false), model.Node) {
		for _, f := range node.Flags {
			known = append(known, f.Envs...)
		}
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, v.Prefix) || strings.HasPrefix(name, v.PassedOver) || slices.Contains(known, name) {
			continue
		}
		hint := "the help of each command names its own"
		if near, ok := nearest.Name(name[len(v.Prefix):], cut(known, v.Prefix)); ok {
			hint = "is " + v.Prefix + near + " meant?"
		}
		sentences = append(sentences, fmt.Sprintf("%s is no setting and is not read; %s", name, hint))
	}
	return sentences
}

// cut returns names without what all of them begin with: it would make every two of them near.
func cut(names []string, prefix string) []string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = strings.TrimPrefix(name, prefix)
	}
	return short
}
