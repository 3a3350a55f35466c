//go:build !amd64

package jsonscan

// blockLen is how many bytes nextMarks looks at together.
const blockLen = 8

// nextMarks returns the first of the blocks from i on that has marked bytes, and a bit for each of them. There are none where fewer bytes
// are left than a block has.
func nextMarks(data []byte, i int) (at int, marks uint64) {
	for ; i+blockLen <= len(data); i += blockLen {
		if m := marked(load64(data, i)); m != 0 {
			return i, m
		}
	}
	return i, 0
}
