package blob

import (
	"encoding/binary"
	"io"
	"iter"
)

const (
	scanBuffer  = 256 << 10 // how much of a stream is held at once
	idDigits    = 32        // of an id
	idTextBytes = 36        // of an id with its hyphens
)

// What a byte can be in the text of an id: a digit, whose value is one less than its class, a hyphen, or nothing.
const (
	noClass     = 0
	hyphenClass = 17
)

var classes = [256]byte{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10, '-': hyphenClass,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16, 'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

// ScanIDs calls found with every id that is mentioned in r: a UUID in either case of letters, with its hyphens
// (8-4-4-4-12) or as 32 hexadecimal digits, whatever stands before and after it. So each 32 digits of a longer run are one,
// for an id may follow an escape such as \u000a. It reads to the end, in bounded memory, and may find an id more than
// once. The error is that of r.
func ScanIDs(r io.Reader, found func(ID)) error {
	return sieve{[]uint64{1}, 0}.scan(r, found)
}

// sieve lets the ids of a set through, and few others: a dump of digits has an id at each place, and to look all of them up
// takes long.
type sieve struct {
	bits []uint64
	mask uint64 // of the bits of an id, its last ones, that say which bit stands for it: they are random in every version
}

func newSieve(n int, ids iter.Seq[ID]) sieve {
	size := 1 << 10
	for size < 16*n {
		size *= 2
	}
	s := sieve{make([]uint64, size/64), uint64(size - 1)}
	for id := range ids {
		bit := binary.BigEndian.Uint64(id[8:]) & s.mask
		s.bits[bit/64] |= 1 << (bit % 64)
	}
	return s
}

// scan is ScanIDs for the ids that the sieve lets through.
func (s sieve) scan(r io.Reader, found func(ID)) error {
	buf := make([]byte, scanBuffer)
	kept := 0
	for {
		n, err := r.Read(buf[kept:])
		data := buf[:kept+n]
		s.scanBytes(data, found)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		kept = copy(buf, data[max(0, len(data)-(idTextBytes-1)):]) // where an id may have begun
	}
}

// scanBytes looks for the runs of digits and hyphens that are long enough. A byte that is neither rules out every run over
// it, so most bytes are not looked at.
func (s sieve) scanBytes(data []byte, found func(ID)) {
	for start := 0; start+idDigits <= len(data); {
		i := start + idDigits - 1
		for i >= start && classes[data[i]] != noClass {
			i--
		}
		if i >= start {
			start = i + 1
			continue
		}
		end := start + idDigits
		for end < len(data) && classes[data[end]] != noClass {
			end++
		}
		s.scanRun(data[start:end], found)
		start = end + 1
	}
}

// scanRun finds the ids in a run of digits and hyphens.
func (s sieve) scanRun(run []byte, found func(ID)) {
	const (
		plain, plainMask = 0, 1<<idDigits - 1
		full, fullMask   = 1<<12 | 1<<17 | 1<<22 | 1<<27, 1<<idTextBytes - 1
	)
	var hi, lo uint64     // the last 32 digits
	hyphens := ^uint64(0) // which of the last bytes were hyphens; before the run, all
	for _, c := range run {
		class := classes[c]
		hyphens <<= 1
		if class == hyphenClass {
			hyphens |= 1
			continue
		}
		hi, lo = hi<<4|lo>>60, lo<<4|uint64(class-1)
		bit := lo & s.mask
		if (hyphens&plainMask == plain || hyphens&fullMask == full) && s.bits[bit/64]&(1<<(bit%64)) != 0 {
			var id ID
			binary.BigEndian.PutUint64(id[:8], hi)
			binary.BigEndian.PutUint64(id[8:], lo)
			found(id)
		}
	}
}
