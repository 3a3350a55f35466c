package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// family of one series that grows with the points.
func familyOf(unitMemory int64, points []point) grown {
	return grown{family{name: "Text & more", unit: "items", unitMemory: unitMemory}, []*series{{"llmblob <x>", points}}}
}

func TestMissedGrowth(t *testing.T) {
	heavy := grows(1, 1, 1)
	heavy[2].memory.anonymous = 64*mB + 200*100 + 1
	for name, c := range map[string]struct {
		g    grown
		want string // of each the first words; "" for none
	}{
		"linear":           {familyOf(0, grows(2, 20, 200, 2000)), ""},
		"n log n":          {familyOf(0, grows(10, 100, 1000, 11_000, 121_000)), ""},
		"power":            {familyOf(0, grows(10, 160, 2560, 41_000)), "grows with the power of 1.20"},
		"cliff":            {familyOf(0, grows(1000, 1000, 1000, 21_000, 22_000, 23_000)), "a cliff before 1,000, 2.1 times"},
		"memory":           {familyOf(0, heavy), "64.0 MB of its own at 100"},
		"memory with size": {familyOf(200, heavy), "64.0 MB of its own at 100"},
	} {
		missed := c.g.missed()
		if (c.want == "") != (missed == nil) || c.want != "" && (len(missed) != 1 || !strings.Contains(missed[0], c.want)) {
			t.Errorf("%s: got %q", name, missed)
		}
	}
	heavy[2].memory.anonymous--
	if missed := familyOf(200, heavy).missed(); missed != nil {
		t.Errorf("got %q", missed)
	}
}

func TestTable(t *testing.T) {
	g := familyOf(0, grows(2*time.Millisecond, 20*time.Millisecond, 200*time.Millisecond))
	g.series = append(g.series, &series{"short", g.series[0].points[:2]}, &series{"late", g.series[0].points[1:]})
	want := `### Text & more

| items | 1 | 10 | 100 | exponent | steepest step | own memory at the end |
|---|---|---|---|---|---|---|
| ` + "`llmblob <x>`" + ` | 2.0 ms | 20.0 ms | 200.0 ms | 1.00 | 1.00 | ? |
| ` + "`short`" + ` | 2.0 ms | 20.0 ms | | 1.00 | 1.00 | ? |
| ` + "`late`" + ` | | 20.0 ms | 200.0 ms | 1.00 | 1.00 | ? |
`
	if got := g.table(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestPlotIsXML(t *testing.T) {
	known := grows(2*time.Millisecond, 20*time.Millisecond, 200*time.Millisecond)
	for i := range known {
		known[i].memory.anonymous = 1000
	}
	g := familyOf(0, known)
	for range 20 { // more than there are colors
		g.series = append(g.series, g.series[0])
	}
	svg := drawPlot([]grown{g, familyOf(0, grows(time.Millisecond))})
	lines, text := 0, ""
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			for _, a := range token.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s=%q", a.Name.Local, a.Value)
				}
				if a.Name.Local == "stroke" {
					lines++
				}
			}
		case xml.CharData:
			text += string(token) + "\n"
		}
	}
	if lines != 21*3+2 { // each in two panels and the legend; of the second family the memory is not known
		t.Errorf("%d lines", lines)
	}
	for _, want := range []string{"Text & more: time", "Text & more: own memory", "<x>", "1ms", "100ms", "1 kB", "not known on this system", "items"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		before []point
		took   time.Duration // of a size of 100
		want   bool
	}{
		"the first": {nil, 1000, false}, "linear": {grows(1, 10), 100, false}, "within noise": {grows(1, 10), 125, false}, "steep": {grows(1, 10), 126, true},
		"only the last counts": {grows(1, 1000), 1000, false},
	} {
		if got := doubtful(c.before, point{size: 100, took: c.took}); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestTimeTick(t *testing.T) {
	for seconds, want := range map[float64]string{1e-5: "10µs", 1e-3: "1ms", 0.1: "100ms", 1: "1s", 1000: "1,000s"} {
		if got := timeTick(seconds); got != want {
			t.Errorf("%g: got %q, want %q", seconds, got, want)
		}
	}
}

func TestRepeat(t *testing.T) {
	fault := errors.New("fault")
	for name, c := range map[string]struct {
		few, many int
		enough    time.Duration
		fails     int // at which call
		want      int
	}{
		"as often as is of use": {3, 15, time.Hour, 0, 15},
		"enough at once":        {3, 15, -1, 0, 3},
		"a fault":               {3, 15, time.Hour, 2, 2},
	} {
		n := 0
		err := repeat(c.few, c.many, c.enough, func() error {
			if n++; n == c.fails {
				return fault
			}
			return nil
		})
		if n != c.want || (err != nil) != (c.fails > 0) {
			t.Errorf("%s: %d times, %v", name, n, err)
		}
	}
}
