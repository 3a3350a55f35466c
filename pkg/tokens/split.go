package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is what the patterns of the encodings tell apart of a character. Letters are both upper and lower, where they
// have no case: those and marks may stand on either side of the border between upper and lower.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt, Lm, Lo, M
	lower                     // Ll, Lm, Lo, M
	letter                    // L
	number                    // N
	space                     // White_Space
	newline                   // \r, \n

	word = upper | lower
)

// classAt returns the class of the character at text[i:] and its length, 0 and 0 at the end. An invalid byte has no class.
func classAt(text []byte, i int) (class, int) {
	if i >= len(text) {
		return 0, 0
	}
	switch c := text[i]; {
	case 'a' <= c && c <= 'z':
		return letter | lower, 1
	case c == '\r' || c == '\n':
		return space | newline, 1
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		return space, 1
	case 'A' <= c && c <= 'Z':
		return letter | upper, 1
	case '0' <= c && c <= '9':
		return number, 1
	case c < utf8.RuneSelf:
		return 0, 1
	}
	r, size := utf8.DecodeRune(text[i:])
	switch {
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return letter | upper | lower, size
	case unicode.Is(unicode.Ll, r):
		return letter | lower, size
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return letter | upper, size
	case unicode.Is(unicode.M, r):
		return upper | lower, size
	case unicode.IsNumber(r):
		return number, size
	case unicode.IsSpace(r):
		return space, size
	}
	return 0, size
}

// run returns the end of the longest run of characters of one of the classes from i on.
func run(text []byte, i int, of class) int {
	for {
		c, size := classAt(text, i)
		if c&of == 0 {
			return i
		}
		i += size
	}
}

// cutCL100k returns the end of the piece that starts at i, which is before the end. With the functions below it is the
// pattern of cl100k_base, as it was before possessive quantifiers made it faster, by hand and in linear time:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func cutCL100k(text []byte, i int) int {
	if end := contraction(text, i); end > i {
		return end
	}
	c, size := classAt(text, i)
	start := i
	if c&(letter|number|newline) == 0 {
		start += size
	}
	if end := run(text, start, letter); end > start {
		return end
	}
	return cutRest(text, i, false)
}

// cutO200k is cutCL100k for o200k_base:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
func cutO200k(text []byte, i int) int {
	c, size := classAt(text, i)
	start := i
	if c&(letter|number|newline) == 0 {
		start += size
	}
	end := endsLower(text, start)
	if end == start && start > i && c&word != 0 { // a mark, which may be the first of the word as well as before it
		start = i
		end = endsLower(text, start)
	}
	if end == start {
		end = run(text, start, upper)
	}
	if end > start {
		return contraction(text, end)
	}
	return cutRest(text, i, true)
}

// endsLower returns the end of upper* lower+ from i on, i where there is none. After a run of upper that nothing lower
// follows, the last of it that is lower too is the end.
func endsLower(text []byte, i int) int {
	end := i
	for {
		c, size := classAt(text, i)
		switch {
		case c&upper == 0 && c&lower == 0:
			return end
		case c&upper == 0:
			return run(text, i, lower)
		}
		i += size
		if c&lower != 0 {
			end = i
		}
	}
}

// cutRest is what the two patterns have in common, but that o200k_base takes slashes to the line feeds after other
// characters.
func cutRest(text []byte, i int, slashes bool) int {
	end := i
	for range 3 {
		c, size := classAt(text, end)
		if c&number == 0 {
			break
		}
		end += size
	}
	if end > i {
		return end
	}
	start := i
	if text[i] == ' ' {
		start++
	}
	if end := others(text, start); end > start {
		for end < len(text) && (text[end] == '\r' || text[end] == '\n' || slashes && text[end] == '/') {
			end++
		}
		return end
	}
	return spaces(text, i)
}

// others returns the end of the run of [^\s\p{L}\p{N}] from i on.
func others(text []byte, i int) int {
	for i < len(text) {
		c, size := classAt(text, i)
		if c&(letter|number|space) != 0 {
			break
		}
		i += size
	}
	return i
}

// spaces is \s*[\r\n]+|\s+(?!\S)|\s+ from i on, where there is white space: up to the last line feed of it, else all but the
// last character where text follows, which takes that one along.
func spaces(text []byte, i int) int {
	start, last, feed := i, i, i
	for {
		c, size := classAt(text, i)
		if c&space == 0 {
			break
		}
		last = i
		i += size
		if c&newline != 0 {
			feed = i
		}
	}
	switch {
	case feed > start:
		return feed
	case i < len(text) && last > start:
		return last
	}
	return i
}

// contraction returns the end of (?i:'s|'t|'re|'ve|'m|'ll|'d)? from i on.
func contraction(text []byte, i int) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return i
	}
	rest := text[i+1:]
	switch rest[0] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	}
	if len(rest) < 2 {
		return i
	}
	switch string([]byte{rest[0] | 0x20, rest[1] | 0x20}) {
	case "re", "ve", "ll":
		return i + 3
	}
	if string(rest[:2]) == "ſ" { // folds to s
		return i + 3
	}
	return i
}
