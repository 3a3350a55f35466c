package jsonscan

// Places tell where some children of a value are, evenly spread: few enough that they cost no memory that grows with the value, near
// enough to each other that the way from one to any child is short.
type Places struct {
	offsets []int // of the children 0, stride, 2*stride, …, from the start of the value
	stride  int
}

const maxPlaces = 2048

// add takes in the child n, which comes after child n-1.
func (p *Places) add(n, offset int) {
	if p.stride == 0 {
		p.stride = 1
	}
	if n%p.stride != 0 {
		return
	}
	if len(p.offsets) == maxPlaces {
		for i := range maxPlaces / 2 {
			p.offsets[i] = p.offsets[2*i]
		}
		p.offsets = p.offsets[:maxPlaces/2]
		p.stride *= 2 // child n is the next place of this stride too, for maxPlaces is even
	}
	p.offsets = append(p.offsets, offset)
}

// Before returns a child that is not after child n, and its offset from the start of the value: child 0 at the latest, where the
// value has children.
func (p Places) Before(n int) (child, offset int) {
	if len(p.offsets) == 0 {
		return 0, 0
	}
	at := min(n/p.stride, len(p.offsets)-1)
	return at * p.stride, p.offsets[at]
}
