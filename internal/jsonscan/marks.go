package jsonscan

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func load64(b []byte, i int) uint64 {
	b = b[i : i+8 : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// special marks, in the high bit of each byte, a quote, a backslash, a control character or a byte of 0x80 and up.
// The lowest mark is exact; those above it may be false (Hacker's Delight, section 6-1).
func special(w uint64) uint64 {
	quote := w ^ (ones * '"')
	slash := w ^ (ones * '\\')
	return (w | (w - ones*0x20) | (quote - ones) | (slash - ones)) & highs
}

// marked has a bit, from the lowest byte on, for each byte that special marks, and for no other.
func marked(w uint64) uint64 {
	const low = ones * 0x7f
	quote := w ^ (ones * '"')
	slash := w ^ (ones * '\\')
	isZero := func(x uint64) uint64 { return ^((x&low + low) | x) }
	m := (w | isZero(quote) | isZero(slash) | ^(w&low + ones*(0x80-0x20))) & highs
	return m >> 7 * 0x0102040810204080 >> 56 // gathers the lowest bits of the bytes
}

// lastMarks has the marks of data from i on, which are fewer bytes than a block.
func lastMarks(data []byte, i int) uint64 {
	var block [blockLen]byte
	for k := copy(block[:], data[i:]); k < blockLen; k++ {
		block[k] = ' ' // not marked
	}
	_, marks := nextMarks(block[:], 0)
	return marks
}
