package history

import (
	"math"
	"slices"
)

// link finds what only several records together tell: the names of tools, the places where the model was called and
// what was counted there.
func (b *builder) link() {
	b.dropSides()
	b.reorder()
	tools := make([]Name, len(b.names.list)) // by the ids of calls
	b.Points = make([]Point, 0, b.runs()+1)
	lastID := Name(0)
	inRun := false
	next := 0 // of the usages
	for i := range b.Items {
		it := &b.Items[i]
		switch {
		case it.Kind == Call && it.CallID != 0:
			tools[it.CallID] = it.Tool
		case it.Kind == Result && it.Tool == 0:
			it.Tool = tools[it.CallID]
			if it.Tool == 0 {
				it.Tool = b.aliases[it.CallID]
			}
		}
		if it.Outside {
			continue
		}
		if it.Role != Assistant {
			inRun = false
			continue
		}
		if !inRun && (it.MessageID == 0 || it.MessageID != lastID) {
			next = b.measure(next, i)
			b.Points = append(b.Points, Point{Item: i, Time: b.times[it.before]})
		}
		inRun, lastID = true, it.MessageID
	}
	b.measure(next, math.MaxInt)
	b.Points = append(b.Points, Point{Item: len(b.Items), Time: b.before})
}

// runs counts the runs of items that the model wrote: it was called before each at most once.
func (b *builder) runs() int {
	n := 0
	before := Role(0)
	for i := range b.Items {
		it := &b.Items[i]
		if it.Outside {
			continue
		}
		if it.Role == Assistant && before != Assistant {
			n++
		}
		before = it.Role
	}
	return n
}

// measure gives the last point the usages of its answer: those from the next on that are of items before end. Of several
// the last holds, for an answer in several records repeats them. It returns the number of the next.
func (b *builder) measure(next, end int) int {
	for ; next < len(b.usages) && b.usages[next].at < end; next++ {
		if len(b.Points) > 0 {
			b.Points[len(b.Points)-1].Usage = b.usages[next].tokens
		}
	}
	return next
}

// reorder puts the items in the order of the context, where a later copy of a message stands in the place of the first.
func (b *builder) reorder() {
	if len(b.places) == 0 {
		return
	}
	order := make([]int, len(b.Items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return b.place(x) - b.place(y) })
	items := make([]Item, len(b.Items))
	moved := make([]int, len(b.Items))
	for to, from := range order {
		items[to], moved[from] = b.Items[from], to
	}
	b.Items = items
	for i := range b.usages {
		b.usages[i].at = moved[b.usages[i].at]
	}
	slices.SortStableFunc(b.usages, func(x, y usage) int { return x.at - y.at })
}

// dropSides takes what sub-agents said out of the context, except where there is nothing else.
func (b *builder) dropSides() {
	main, side := false, false
	for i := range b.Items {
		if b.Items[i].side {
			side = true
		} else {
			main = true
		}
	}
	if !main || !side {
		return
	}
	for i := range b.Items {
		if b.Items[i].side {
			b.Items[i].Outside = true
		}
	}
}
