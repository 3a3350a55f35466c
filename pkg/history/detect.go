package history

// lookAhead is how many records are asked before one that is possible is taken for certain.
const lookAhead = 50

// detector finds the dialect of records that come one after the other.
type detector struct {
	seen  int
	found *dialect
	guess *dialect
}

// ask takes one more record and reports whether that decides.
func (d *detector) ask(rec value) bool {
	for _, candidate := range dialects {
		switch candidate.match(rec) {
		case certain:
			d.found = candidate
			return true
		case possible:
			if d.guess == nil {
				d.guess = candidate
			}
		}
	}
	d.seen++
	return d.seen >= lookAhead
}

// dialect is what was found, or what was possible.
func (d *detector) dialect() *dialect {
	if d.found != nil {
		return d.found
	}
	return d.guess
}

// envelope is a JSON document that holds records.
type envelope struct {
	dialect *dialect // nil where the records tell
	records Span     // of the array
}

// open finds the records in a document: an object with an array of them, or a bare array. There are none where the document is
// a record itself. Only the dialect forced is asked, where there is one.
func (o outline) open(data []byte, forced *dialect) (envelope, bool) {
	if o.members == nil {
		return envelope{forced, o.doc}, true
	}
	for _, certainly := range [...]bool{true, false} {
		for _, d := range dialects {
			if forced != nil && d != forced {
				continue
			}
			for _, shape := range d.documents {
				if shape.certain != certainly || !shape.fits(data, o.members) {
					continue
				}
				e := envelope{forced, o.members[shape.records]}
				if certainly {
					e.dialect = d
				}
				return e, true
			}
		}
	}
	return envelope{}, false
}

func (d document) fits(data []byte, members map[string]Span) bool {
	list, ok := members[d.records]
	if !ok || data[list.Start] != '[' {
		return false
	}
	for _, key := range d.with {
		if _, ok := members[key]; !ok {
			return false
		}
	}
	return true
}
