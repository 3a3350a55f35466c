package tokens

import (
	"context"
	_ "embed" // for the tables
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"sync"
	"unicode/utf8"
)

// The tables are the tokens of github.com/openai/tiktoken in the order of their ranks, each behind a byte with its length.
var (
	//go:embed tables/o200k_base.bin
	o200kTable string
	//go:embed tables/cl100k_base.bin
	cl100kTable string
)

const (
	// maxPiece bounds the memory and the time of a piece without a place to cut. A longer one is cut there.
	maxPiece = 64 << 10
	// askEvery is how many bytes of a text are counted between two looks at whether that is still wanted.
	askEvery = 1 << 20
)

// BPE counts as a byte pair encoding does that cuts text in pieces and merges their bytes, the pair of the lowest rank
// first. Text that looks like a special token counts as text. The time is linear but for a factor of log n in a long
// piece. A piece of more than 64 KiB, such as a run of one letter, is cut there, which may add some tokens at each cut.
type BPE struct {
	ranks   func() *ranks
	cut     func(text []byte, i int) int
	mergers sync.Pool
}

func newBPE(table string, cut func([]byte, int) int) *BPE {
	return &BPE{ranks: sync.OnceValue(func() *ranks { return readRanks(table) }), cut: cut}
}

// Count implements Counter.
func (b *BPE) Count(ctx context.Context, contents iter.Seq[Content]) ([]int, error) {
	m, ok := b.mergers.Get().(*merger)
	if !ok {
		m = &merger{ranks: b.ranks()}
	}
	defer b.mergers.Put(m)
	var counts []int
	for c := range contents {
		n, err := b.count(ctx, m, c.Text)
		if err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}

func (b *BPE) count(ctx context.Context, m *merger, text []byte) (int, error) {
	if !utf8.Valid(text) {
		text = []byte(string([]rune(string(text)))) // U+FFFD for every invalid byte
	}
	n, ask := 0, 0
	for i := 0; i < len(text); {
		if i >= ask {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			ask = i + askEvery
		}
		end := b.cut(text, i)
		for ; end-i > maxPiece; i += maxPiece {
			n += m.count(text[i : i+maxPiece])
		}
		n += m.count(text[i:end])
		i = end
	}
	return n, nil
}

// ranks tells the rank of a token. It is an open hash table, which is filled several times as fast as a map.
type ranks struct {
	seed   maphash.Seed
	table  string
	starts []uint32 // of the tokens in table, by rank
	slots  []uint64 // upper half of the hash, and rank+1; a power of two of them, 0 where there is nothing
}

// noRank is that of what is no token.
const noRank = math.MaxUint32

func readRanks(table string) *ranks {
	r := &ranks{seed: maphash.MakeSeed(), table: table}
	for i := 0; i < len(table); i += 1 + int(table[i]) {
		r.starts = append(r.starts, uint32(i+1))
	}
	r.slots = make([]uint64, 2<<bits.Len(uint(len(r.starts)-1)))
	for rank, start := range r.starts {
		h := maphash.String(r.seed, table[start:int(start)+int(table[start-1])])
		i := int(h) & (len(r.slots) - 1)
		for r.slots[i] != 0 {
			i = (i + 1) & (len(r.slots) - 1)
		}
		r.slots[i] = h&^math.MaxUint32 | uint64(rank+1)
	}
	return r
}

func (r *ranks) of(token []byte) uint32 {
	h := maphash.Bytes(r.seed, token)
	for i := int(h) & (len(r.slots) - 1); r.slots[i] != 0; i = (i + 1) & (len(r.slots) - 1) {
		slot := r.slots[i]
		if slot>>32 != h>>32 {
			continue
		}
		rank := uint32(slot) - 1
		start := int(r.starts[rank])
		if r.table[start:start+int(r.table[start-1])] == string(token) {
			return rank
		}
	}
	return noRank
}

// merger counts the tokens of pieces, one at a time. It keeps its memory between them.
type merger struct {
	ranks *ranks
	parts []part
	queue []uint64 // a heap of rank and offset of pairs to merge, which may have been merged away since
}

// part is what of a piece has been merged, at the offset where it begins.
type part struct {
	prev, next int32  // offsets; next of the last part is the length of the piece
	pair       uint32 // the rank of this part with the next one, noRank where that is no token or this was merged away
}

// count returns the tokens of a piece of 1 to maxPiece bytes.
func (m *merger) count(piece []byte) int {
	if len(piece) == 1 || m.ranks.of(piece) != noRank {
		return 1
	}
	m.parts, m.queue = m.parts[:0], m.queue[:0]
	for i := range len(piece) {
		m.parts = append(m.parts, part{prev: int32(i) - 1, next: int32(i) + 1, pair: noRank})
	}
	for i := range len(piece) - 1 {
		m.pair(piece, int32(i))
	}
	n := len(piece)
	for len(m.queue) > 0 {
		rank, i := uint32(m.queue[0]>>32), int32(m.queue[0]&math.MaxUint32)
		m.pop()
		p := &m.parts[i]
		if p.pair != rank {
			continue
		}
		n--
		m.parts[p.next].pair = noRank
		p.next = m.parts[p.next].next
		if int(p.next) < len(piece) {
			m.parts[p.next].prev = i
		}
		m.pair(piece, i)
		if p.prev >= 0 {
			m.pair(piece, p.prev)
		}
	}
	return n
}

// pair looks what the part at i and the next one make, and queues it where that is a token.
func (m *merger) pair(piece []byte, i int32) {
	p := &m.parts[i]
	p.pair = noRank
	if int(p.next) == len(piece) {
		return
	}
	if p.pair = m.ranks.of(piece[i:m.parts[p.next].next]); p.pair != noRank {
		m.push(uint64(p.pair)<<32 | uint64(i))
	}
}

// push and pop are those of a heap. That of the standard library allocates for every value.
func (m *merger) push(v uint64) {
	m.queue = append(m.queue, v)
	q := m.queue
	i := len(q) - 1
	for i > 0 && q[(i-1)/2] > v {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = v
}

// pop removes the least value, which is the first.
func (m *merger) pop() {
	last := len(m.queue) - 1
	v := m.queue[last]
	m.queue = m.queue[:last]
	q := m.queue
	i := 0
	for {
		child := 2*i + 1
		if child+1 < last && q[child+1] < q[child] {
			child++
		}
		if child >= last || q[child] >= v {
			break
		}
		q[i] = q[child]
		i = child
	}
	if last > 0 {
		q[i] = v
	}
}
