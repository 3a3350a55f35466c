package llmblob

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/llmblob/llmblob/"

// arrows are the imports that a package may have: of this module, and of others. Everything else is forbidden.
var arrows = map[string]struct{ own, others string }{
	"internal/jsonscan":  {},
	"internal/glob":      {},
	"internal/nearest":   {},
	"internal/cleantext": {},
	"internal/jsonshow":  {own: "internal/jsonscan internal/cleantext"},
	"internal/content":   {others: "golang.org/x/sys/unix"},
	"internal/lines":     {},
	"internal/faultfs":   {own: "internal/durable"},
	"internal/durable":   {others: "golang.org/x/sys/unix golang.org/x/sys/windows"},
	"pkg/blob":           {others: "github.com/google/uuid"},
	"pkg/summarize":      {own: "internal/jsonscan internal/cleantext internal/jsonshow internal/lines"},
	"pkg/selector":       {own: "internal/jsonscan internal/jsonshow internal/lines internal/nearest", others: "github.com/tidwall/gjson"},
	"pkg/fsstore":        {own: "pkg/blob internal/durable internal/content"},
	"pkg/storetest":      {own: "pkg/blob"},
	"pkg/inspect":        {own: "pkg/blob pkg/history pkg/selector pkg/summarize internal/jsonscan internal/content"},
	"pkg/mcp":            {own: "pkg/blob pkg/inspect internal/jsonscan internal/content"},
	"pkg/history":        {own: "internal/jsonscan"},
	"pkg/tokens":         {own: "pkg/history"},
	"pkg/offload":        {own: "pkg/blob pkg/summarize pkg/history internal/glob internal/lines"},
	"pkg/projection":     {own: "pkg/blob pkg/history pkg/offload pkg/prune pkg/tokens"},
	"pkg/prune":          {own: "pkg/history internal/jsonscan internal/glob internal/nearest", others: "github.com/tidwall/jsonc"},
	"pkg/worker":         {own: "pkg/blob pkg/history pkg/inspect pkg/offload pkg/prune pkg/summarize pkg/tokens"},
	"examples/agent":     {own: "pkg/fsstore pkg/history pkg/worker"},
	"internal/agents": {
		own:    "pkg/blob pkg/history pkg/offload internal/jsonscan",
		others: "github.com/pelletier/go-toml/v2/unstable github.com/rogpeppe/go-internal/diff github.com/tidwall/jsonc",
	},
	"internal/historytest": {},
	"cmd/llmblob": {
		own:    "pkg/blob pkg/fsstore pkg/history pkg/inspect pkg/mcp pkg/offload pkg/projection pkg/prune pkg/selector pkg/summarize internal/agents internal/content internal/durable internal/glob internal/cleantext",
		others: "github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term golang.org/x/sys/unix",
	},
}

func TestArrows(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./cmd/...", "./pkg/...", "./internal/...", "./examples/...")
		cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		seen := 0
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			name := strings.TrimPrefix(fields[0], module)
			allowed, ok := arrows[name]
			if !ok {
				t.Errorf("%s has no line in the table of arrows", name)
				continue
			}
			seen++
			for _, imported := range fields[1:] {
				checkArrow(t, name, imported, allowed.own, allowed.others)
			}
		}
		if seen != len(arrows) {
			t.Errorf("%s: %d packages, the table has %d", goos, seen, len(arrows))
		}
	}
}

func checkArrow(t *testing.T, from, to, own, others string) {
	t.Helper()
	allowed := others
	if strings.HasPrefix(to, module) {
		to, allowed = strings.TrimPrefix(to, module), own
	} else if first, _, _ := strings.Cut(to, "/"); !strings.Contains(first, ".") {
		return // the standard library
	}
	for name := range strings.FieldsSeq(allowed) {
		if name == to {
			return
		}
	}
	t.Errorf("%s must not import %s", from, to)
}
