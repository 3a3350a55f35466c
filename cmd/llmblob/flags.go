package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// limitFlags bound summaries.
type limitFlags struct{ limits summarize.Limits }

func (l *limitFlags) add(cmd *cobra.Command) {
	d := summarize.DefaultLimits()
	f := cmd.Flags()
	f.IntVar(&l.limits.Bytes, "summary-bytes", d.Bytes, "`bytes` of a summary at most (LLMBLOB_SUMMARY_BYTES)")
	f.IntVar(&l.limits.HeadLines, "head-lines", d.HeadLines, "first `lines` shown of a text (LLMBLOB_HEAD_LINES)")
	f.IntVar(&l.limits.TailLines, "tail-lines", d.TailLines, "last `lines` shown of a text (LLMBLOB_TAIL_LINES)")
}

func (l *limitFlags) get(a *app, cmd *cobra.Command) (summarize.Limits, error) {
	if err := a.fromEnv(cmd, "summary-bytes", "head-lines", "tail-lines"); err != nil {
		return summarize.Limits{}, err
	}
	if err := l.limits.Validate(); err != nil {
		return summarize.Limits{}, usageErrorf("%v", err)
	}
	return l.limits, nil
}

// fromEnv sets flags that the command line did not set from their environment variables.
func (a *app) fromEnv(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		variable := "LLMBLOB_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		value := a.getenv(variable)
		if value == "" || cmd.Flags().Changed(name) {
			continue
		}
		if err := cmd.Flags().Set(name, value); err != nil {
			return usageErrorf("%s=%q: not a value of --%s", variable, value, name)
		}
	}
	return nil
}

// takeFlags say how contents become blobs.
type takeFlags struct {
	limitFlags
	as, ids, id, summary string
}

func (t *takeFlags) add(a *app, cmd *cobra.Command) {
	t.limitFlags.add(cmd)
	f := cmd.Flags()
	addTypeFlag(cmd, &t.as)
	t.addIDs(a, cmd)
	f.StringVar(&t.id, "id", "", "`UUID` to store under")
	f.StringVar(&t.summary, "summary", "", "`text` of the summary, instead of the one that is made")
}

func (t *takeFlags) addIDs(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.ids, "ids", "v7", "`kind` of ids: v7, or content for the same id for the same bytes (LLMBLOB_IDS)")
	f.BoolVar(&a.flags.noSync, "no-sync", false, "do not wait until the bytes are on the disk")
}

func addTypeFlag(cmd *cobra.Command, as *string) {
	cmd.Flags().StringVar(as, "type", string(summarize.Auto), "take the content as `type`: auto, text or json")
}

func parseAs(s string) (summarize.As, error) {
	switch as := summarize.As(s); as {
	case summarize.Auto, summarize.AsText, summarize.AsJSON:
		return as, nil
	}
	return "", usageErrorf("--type %q: must be auto, text or json", s)
}

// options checks everything before anything is touched.
func (t *takeFlags) options(a *app, cmd *cobra.Command) (offload.Options, error) {
	o := offload.Options{Summary: t.summary}
	var err error
	if o.Limits, err = t.get(a, cmd); err != nil {
		return o, err
	}
	if o.As, err = parseAs(t.as); err != nil {
		return o, err
	}
	if err := a.fromEnv(cmd, "ids"); err != nil {
		return o, err
	}
	switch {
	case t.id != "":
		id, err := blob.ParseID(t.id)
		if err != nil {
			return o, err
		}
		o.NewID = fixedID(id)
	case t.ids == "v7":
		o.NewID = func(blob.Type, []byte) (blob.ID, error) { return a.newID() }
	case t.ids == "content":
		o.NewID = func(t blob.Type, data []byte) (blob.ID, error) { return blob.ContentID(t, data), nil }
	default:
		return o, usageErrorf("ids %q: must be v7 or content", t.ids)
	}
	return o, nil
}

// fixedID refuses a version 8 that is not the content's own, for it would be taken for damage.
func fixedID(id blob.ID) func(blob.Type, []byte) (blob.ID, error) {
	return func(t blob.Type, data []byte) (blob.ID, error) {
		if err := blob.CheckContent(id, t, data); err != nil {
			return id, &usageError{
				msg:  fmt.Sprintf("--id %s: a UUID of version 8 is made of the content, and this content has another", id),
				hint: "--ids content makes it",
			}
		}
		return id, nil
	}
}

// sizeUnits are those of sizes, by their names in lower case.
var sizeUnits = map[string]float64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// parseSize reads the value of a flag: a number of bytes, or of a unit, of which there may be a fraction.
func parseSize(flag, s string) (int64, error) {
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, ok := sizeUnits[strings.ToLower(s[len(number):])]
	number = strings.TrimSuffix(number, " ")
	digits := strings.Trim(number, "0123456789.") == "" // no sign, and none of the other forms of Go's numbers
	n, err := strconv.ParseFloat(number, 64)
	n *= unit
	if !ok || !digits || err != nil || n >= 1<<63 || unit == 1 && strings.Contains(number, ".") {
		return 0, usageErrorf("--%s %q: must be a size as in 1000000, 500MB or 1.5GiB", flag, s)
	}
	return int64(n), nil
}

// openFile opens a file operand; a directory is refused at once.
func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		if err == nil {
			err = &os.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
