package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func names(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return names
}

// A command is made alone, as it is in the whole tree, wherever the flags stand.
func TestOneCommandIsMadeAsAllAre(t *testing.T) {
	whole := newRootCommand(newApp(), nil)
	for _, want := range whole.Commands() {
		for _, before := range [][]string{nil, {"--json"}, {"--store", "x"}, {"--store=x", "--json"}, {"--store", "ls"}} {
			args := append(before, want.Name(), "--help")
			root := newRootCommand(newApp(), args)
			if got := names(root); !slices.Equal(got, []string{want.Name()}) {
				t.Errorf("%s: made are %s", args, got)
				continue
			}
			if got := root.Commands()[0]; got.UsageString() != want.UsageString() || got.GroupID != want.GroupID {
				t.Errorf("%s: %s", args, got.UsageString())
			}
		}
	}
}

func TestAllCommandsAreMadeWhereOneIsNotNamed(t *testing.T) {
	all := names(newRootCommand(newApp(), nil))
	for _, line := range []string{"", "help", "help ls", "--help", "--version --json", "--json", "--store", "--store x", "completion bash", "__complete ls", "lss", "--jso ls", "-h", "-- ls", "--store ls"} {
		if got := names(newRootCommand(newApp(), strings.Fields(line))); !slices.Equal(got, all) {
			t.Errorf("%q: made are %s", line, got)
		}
	}
}
