package jsonscan

// blockLen is how many bytes nextMarks looks at together.
const blockLen = 64

// nextMarks returns the first of the blocks from i on that has marked bytes, and a bit for each of them. There are none where fewer bytes
// are left than a block has.
//
//go:noescape
func nextMarks(data []byte, i int) (at int, marks uint64)
