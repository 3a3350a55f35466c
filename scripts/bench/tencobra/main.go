// Command tencobra is the least that a program with a cobra command can be: what start-up is compared with.
package main

import "github.com/spf13/cobra"

func main() {
	cmd := &cobra.Command{Use: "tencobra", Version: "1", Run: func(*cobra.Command, []string) {}}
	if err := cmd.Execute(); err != nil {
		panic(err)
	}
}
