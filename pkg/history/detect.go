package history

// lookAhead is how many records are asked before one that is possible is taken for certain.
const lookAhead = 50

// detector finds the dialect of records that come one after the other.
type detector struct {
	among []*dialect // those that it can be
	hint  *dialect   // what it is where records of any could be of it
	seen  int
	found *dialect
	guess *dialect
}

// ask takes one more record and reports whether that decides.
func (d *detector) ask(rec value) bool {
	for _, candidate := range d.among {
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
	switch {
	case d.found != nil:
		return d.found
	case d.hint != nil:
		return d.hint
	}
	return d.guess
}

// envelope is a JSON document that holds records.
type envelope struct {
	dialect *dialect // nil where the records tell
	records Span     // of the array
	among   []*dialect
	hint    *dialect
}

// open finds the records in a document: an object with an array of them, or a bare array. There are none where the document is
// a record itself. Only the dialect forced is asked, where there is one.
func (o outline) open(data []byte, forced *dialect) (envelope, bool) {
	if o.members == nil {
		return envelope{dialect: forced, records: o.doc, among: dialects[:]}, true
	}
	var e envelope
	for _, certainly := range [...]bool{true, false} {
		for _, d := range dialects {
			if forced != nil && d != forced {
				continue
			}
			for _, shape := range d.documents {
				if shape.certain != certainly || !shape.fits(data, o.members) {
					continue
				}
				if certainly {
					return envelope{dialect: d, records: o.members[shape.records]}, true
				}
				if e.among == nil {
					e = envelope{dialect: forced, records: o.members[shape.records]}
				}
				if e.records != o.members[shape.records] {
					continue
				}
				e.among = append(e.among, d)
				if len(shape.with) > 0 {
					e.hint = d
				}
			}
		}
	}
	return e, e.among != nil
}

func (d document) fits(data []byte, members map[string]Span) bool {
	list, ok := members[d.records]
	if !ok || data[list.Start] != '[' {
		return false
	}
	if _, ok := members[d.without]; ok && d.without != "" {
		return false
	}
	for _, key := range d.with {
		if _, ok := members[key]; !ok {
			return false
		}
	}
	return true
}
