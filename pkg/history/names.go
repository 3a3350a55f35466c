package history

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Name stands for a name in a history, of a call, a tool or a message: equal names of one history are equal numbers. The zero Name
// is the empty one. History.Name tells it.
type Name uint32

// Name returns the name that a number stands for.
func (h *History) Name(n Name) string {
	if n == 0 {
		return ""
	}
	return h.names.list[n]
}

// names keeps every name once: there are as many as calls, and most are met a second time at the result.
type names struct {
	list  []string
	chunk strings.Builder // what the last of them are parts of
	seed  maphash.Seed
	table []Name // by hash, each at the first free place from its own; 0: a free place. Its length is a power of two.
}

const (
	leastNames = 64
	nameChunk  = 64 << 10 // bytes
)

func newNames() names {
	return names{list: []string{""}, seed: maphash.MakeSeed(), table: make([]Name, leastNames)}
}

// number returns the number of a name.
func (ns *names) number(text []byte) Name {
	if len(text) == 0 {
		return 0
	}
	mask := len(ns.table) - 1
	at := int(maphash.Bytes(ns.seed, text)) & mask
	for ns.table[at] != 0 {
		if n := ns.table[at]; ns.list[n] == string(text) {
			return n
		}
		at = (at + 1) & mask
	}
	if 4*len(ns.list) >= 3*len(ns.table) {
		ns.spread()
		at = ns.free(maphash.Bytes(ns.seed, text))
	}
	n := Name(len(ns.list))
	ns.list = append(ns.list, ns.keep(text))
	ns.table[at] = n
	return n
}

// free is the place for a name that is not in the table.
func (ns *names) free(hash uint64) int {
	mask := len(ns.table) - 1
	at := int(hash) & mask
	for ns.table[at] != 0 {
		at = (at + 1) & mask
	}
	return at
}

// spread doubles the table.
func (ns *names) spread() {
	ns.table = make([]Name, 2*len(ns.table))
	for n, text := range ns.list[1:] {
		ns.table[ns.free(maphash.String(ns.seed, text))] = Name(n + 1)
	}
}

// keep copies a name into a chunk, which many share: a name alone takes half as much again.
func (ns *names) keep(text []byte) string {
	if ns.chunk.Cap()-ns.chunk.Len() < len(text) {
		ns.chunk = strings.Builder{}
		ns.chunk.Grow(max(nameChunk, len(text)))
	}
	start := ns.chunk.Len()
	ns.chunk.Write(text)
	return ns.chunk.String()[start:]
}

// done lets go of what only a builder needs.
func (ns *names) done() { *ns = names{list: slices.Clip(ns.list)} }
