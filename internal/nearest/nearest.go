// Package nearest tells how far apart names are, to guess what a mistyped one means.
package nearest

// mostBytes is how much of a name is compared.
const mostBytes = 64

// Distance is the Levenshtein distance in bytes, of names cut to a reasonable length: how many bytes are to be changed, added
// or left out to make b of a.
func Distance(a, b string) int {
	a, b = a[:min(mostBytes, len(a))], b[:min(mostBytes, len(b))]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
