package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
)

func newRmCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rm [flags] ID…|-",
		Short: "delete blobs; with - those whose ids are read, one a line",
		Long:  "Delete blobs. All of them are looked for first: where one is missing none is deleted.",
		Example: `  llmblob rm ID
  llmblob ls -q --type json | llmblob rm -`,
		Args: operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := a.openStore()
			if err != nil {
				return err
			}
			ids, err := a.resolveAll(cmd.Context(), st, args)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if _, err := st.Stat(cmd.Context(), id); err != nil {
					return err
				}
			}
			for _, id := range ids {
				if err := st.Delete(cmd.Context(), id); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// resolveAll finds the ids that operands mean, each once, in order. An operand - stands for the lines of standard input.
func (a *app) resolveAll(ctx context.Context, st blob.Store, operands []string) ([]blob.ID, error) {
	var ids []blob.ID
	seen := make(map[blob.ID]bool)
	resolver := blob.NewResolver(st)
	add := func(operand string) error {
		id, err := resolver.Resolve(ctx, operand)
		if err == nil && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
		return err
	}
	for _, operand := range operands {
		if operand != "-" {
			if err := add(operand); err != nil {
				return nil, err
			}
			continue
		}
		f, err := a.input(nil)
		if err != nil {
			return nil, err
		}
		if err := eachLine(f, add); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// longestLine is how long a line with an id is at most, in bytes.
const longestLine = 4096

// eachLine calls f with every line that is not blank.
func eachLine(r io.Reader, f func(line string) error) error {
	b := bufio.NewReaderSize(r, longestLine)
	for n := 1; ; n++ {
		text, err := b.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return usageErrorf("standard input, line %d: longer than %d bytes, which no id is", n, longestLine)
		}
		if line := strings.TrimSpace(string(text)); line != "" {
			if err := f(line); err != nil {
				return fmt.Errorf("standard input, line %d: %w", n, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
	}
}
