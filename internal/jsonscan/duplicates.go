package jsonscan

import "sort"

// LastWins returns a valid value in which no object has a key twice: of equal keys, as text, the last member stays, as
// most readers of JSON take it. Where there is nothing to leave out that is the value itself.
func LastWins(value []byte) []byte {
	var w duplicates
	w.walk(value)
	if len(w.dropped) == 0 {
		return value
	}
	sort.Slice(w.dropped, func(i, j int) bool { return w.dropped[i].start < w.dropped[j].start })
	out := make([]byte, 0, len(value))
	end := 0
	for _, d := range w.dropped {
		if d.start < end { // within a member that is left out
			continue
		}
		out = append(out, value[end:d.start]...)
		end = d.end
	}
	return append(out, value[end:]...)
}

type duplicates struct {
	objects []object // the containers that are open, from the outside in
	dropped []span
}

type span struct{ start, end int }

// object is a container that is open, with the places of the keys seen in it.
type object struct {
	isArray bool
	starts  []int          // of the keys, in order
	byText  map[string]int // the last key of a text, as an index of starts
}

// walk goes over the value once.
func (w *duplicates) walk(value []byte) {
	atKey := false
	for i := 0; i < len(value); {
		switch c := value[i]; c {
		case '"':
			end := skipString(value, i)
			if atKey {
				w.key(value, i, end)
				atKey = false
			}
			i = end
			continue
		case '{', '[':
			w.objects = append(w.objects, object{isArray: c == '['})
			atKey = c == '{'
		case '}', ']':
			w.objects = w.objects[:len(w.objects)-1]
		case ',':
			atKey = !w.objects[len(w.objects)-1].isArray
		}
		i++
	}
}

// key notes a key. A member goes as far as the next key of its object, which an earlier one of equal keys has.
func (w *duplicates) key(value []byte, start, end int) {
	o := &w.objects[len(w.objects)-1]
	if o.byText == nil {
		o.byText = make(map[string]int)
	}
	o.starts = append(o.starts, start)
	text := string(Text(value[start:end]))
	if earlier, ok := o.byText[text]; ok {
		w.dropped = append(w.dropped, span{o.starts[earlier], o.starts[earlier+1]})
	}
	o.byText[text] = len(o.starts) - 1
}
