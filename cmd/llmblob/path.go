package main

import (
	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
)

func newPathCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "path [flags] [ID]",
		Short: "print the file of a blob, or the directory of the store",
		Example: `  grep -l panic "$(llmblob path)"/*.txt
  jq '.items[3]' "$(llmblob path ID)"`,
		Args: operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := a.openStore()
			if err != nil {
				return err
			}
			files, ok := st.(interface {
				Path() string
				BlobPath(blob.Info) string
			})
			if !ok {
				return usageErrorf("path: this store keeps no files")
			}
			path := files.Path()
			if len(args) > 0 {
				id, err := blob.Resolve(cmd.Context(), st, args[0])
				if err != nil {
					return err
				}
				info, err := st.Stat(cmd.Context(), id)
				if err != nil {
					return err
				}
				path = files.BlobPath(info)
			}
			return a.payloadBytes([]byte(path + "\n"))
		},
	}
}
