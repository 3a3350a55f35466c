package history

import "bytes"

// The reference that begins a summary is [blob:<id>], the id a UUID in its canonical form.
const (
	referenceStart = "[blob:"
	idForm         = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
)

// Reference returns the id of the blob whose reference a text begins with; ok is false where it begins with none.
func Reference(text []byte) (id string, ok bool) {
	if len(text) <= len(referenceStart)+len(idForm) || !bytes.HasPrefix(text, []byte(referenceStart)) {
		return "", false
	}
	name := text[len(referenceStart):][:len(idForm)]
	for i, c := range name {
		if idForm[i] == '-' {
			if c != '-' {
				return "", false
			}
		} else if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", false
		}
	}
	return string(name), text[len(referenceStart)+len(idForm)] == ']'
}
