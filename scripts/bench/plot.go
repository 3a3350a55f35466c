package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Sizes of the plot in pixels: a row a family, with a panel for time, one for memory, and the names of the lines.
const (
	panelWidth, panelHeight    = 330, 290
	marginLeft, marginTop      = 62, 44
	betweenPanels, betweenRows = 70, 70
	legendWidth, legendHeight  = 260, 20
	lineWidth, radius          = 1.6, 2.2
)

// colors of lines, to be told apart on white and on black.
var colors = [...]string{"#3b82f6", "#e8590c", "#2f9e44", "#d6336c", "#9775fa", "#c49000", "#0c9aa8", "#868e96"}

// dashes tell lines of the same color apart.
var dashes = [...]string{"", "5 3"}

// style leaves the background to the page and follows its colors.
const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.grid{stroke:#8886;stroke-width:.5}.linear{stroke:#888;stroke-dasharray:2 4}.frame{fill:none;stroke:#888}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6edf3}}`

// axis is a logarithmic axis.
type axis struct {
	low, high float64 // powers of ten
	from, to  float64 // pixels
}

// newAxis covers the values with whole decades.
func newAxis(values []float64, from, to float64) axis {
	low, high := math.Floor(math.Log10(slices.Min(values))), math.Ceil(math.Log10(slices.Max(values)))
	return axis{low, math.Max(high, low+1), from, to}
}

// at is the pixel of a value.
func (a axis) at(v float64) float64 {
	return a.from + (math.Log10(v)-a.low)/(a.high-a.low)*(a.to-a.from)
}

// plot draws with SVG.
type plot struct{ b bytes.Buffer }

func (p *plot) put(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *plot) text(x, y float64, anchor, class, text string) {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // to memory
	p.put(`<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, &escaped)
}

// drawPlot is the plot of all families.
func drawPlot(all []grown) []byte {
	p := &plot{}
	width := marginLeft + 2*panelWidth + betweenPanels + legendWidth
	height := marginTop + len(all)*(panelHeight+betweenRows)
	p.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`, width, height, width, height)
	p.put(`<title>Time and memory of each command over the size of its input</title><style>%s</style>`, style)
	for i, g := range all {
		p.row(g, float64(marginTop+i*(panelHeight+betweenRows)))
	}
	p.put("</svg>")
	return p.b.Bytes()
}

// row draws a family.
func (p *plot) row(g grown, top float64) {
	left := float64(marginLeft)
	p.panel(g, left, top, "time", func(pt point) float64 { return pt.took.Seconds() }, timeTick)
	left += panelWidth + betweenPanels
	p.panel(g, left, top, "own memory", func(pt point) float64 { return float64(pt.memory.anonymous) }, func(v float64) string { return size(int64(v)) })
	left += panelWidth + 16
	for i, s := range g.series {
		y := top + 10 + float64(i*legendHeight)
		p.put(`<path d="M%.1f %.1fh24" %s/>`, left, y-4, stroke(i))
		p.text(left+30, y, "start", "", strings.TrimPrefix(s.name, "llmblob "))
	}
}

// panel draws one value of all series of a family.
func (p *plot) panel(g grown, left, top float64, what string, value func(point) float64, tick func(float64) string) {
	var xs, ys []float64
	for _, s := range g.series {
		for _, pt := range s.points {
			if value(pt) > 0 {
				xs, ys = append(xs, pt.size), append(ys, value(pt))
			}
		}
	}
	p.text(left, top-10, "start", "title", g.name+": "+what)
	if len(xs) == 0 {
		p.text(left, top+20, "start", "", "not known on this system")
		return
	}
	x, y := newAxis(xs, left, left+panelWidth), newAxis(ys, top+panelHeight, top)
	for e := x.low; e <= x.high; e++ {
		v := math.Pow(10, e)
		p.put(`<path d="M%.1f %.1fv%d" class="grid"/>`, x.at(v), top, panelHeight)
		p.text(x.at(v), top+panelHeight+16, "middle", "", sizeTick(g.unit, v))
	}
	for e := y.low; e <= y.high; e++ {
		v := math.Pow(10, e)
		p.put(`<path d="M%.1f %.1fh%d" class="grid"/>`, left, y.at(v), panelWidth)
		p.text(left-6, y.at(v)+4, "end", "", tick(v))
	}
	p.text(left+panelWidth/2, top+panelHeight+34, "middle", "", g.unit)
	p.put(`<rect x="%.1f" y="%.1f" width="%d" height="%d" class="frame"/>`, left, top, panelWidth, panelHeight)
	p.linear(x, y)
	for i, s := range g.series {
		var path strings.Builder
		for _, pt := range s.points {
			if value(pt) <= 0 {
				continue
			}
			verb := "L"
			if path.Len() == 0 {
				verb = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", verb, x.at(pt.size), y.at(value(pt)))
		}
		p.put(`<path d="%s" %s/>`, path.String(), stroke(i))
		for _, pt := range s.points {
			if value(pt) > 0 {
				p.put(`<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>`, x.at(pt.size), y.at(value(pt)), radius, colors[i%len(colors)])
			}
		}
	}
}

// linear shows how steep linear growth is.
func (p *plot) linear(x, y axis) {
	to := min(x.high-x.low, y.high-y.low)
	p.put(`<path d="M%.1f %.1fL%.1f %.1f" class="linear"/>`, x.at(math.Pow(10, x.high-to)), y.at(math.Pow(10, y.low)),
		x.at(math.Pow(10, x.high)), y.at(math.Pow(10, y.low+to)))
}

// stroke is how the ith line is drawn.
func stroke(i int) string {
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%g" stroke-dasharray="%s"`, colors[i%len(colors)], lineWidth, dashes[i/len(colors)%len(dashes)])
}

// timeTick names a power of ten in seconds.
func timeTick(seconds float64) string {
	if seconds >= 1 {
		return count(int(math.Round(seconds))) + "s"
	}
	return time.Duration(math.Round(seconds * float64(time.Second))).String()
}

// sizeTick names a power of ten in a unit.
func sizeTick(unit string, v float64) string {
	if unit == "bytes" {
		return size(int64(math.Round(v)))
	}
	if v >= mB {
		return short(v/mB) + " M"
	}
	return count(int(math.Round(v)))
}
