package prune

// Schema returns the JSON Schema (draft 2020-12) of prune.json, indented, with a line feed at its end. It accepts what
// ParseConfig accepts, once comments are gone, and a little more: it knows nothing of glob syntax or of keys that come twice.
func Schema() []byte {
	dst := []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema",` +
		`"title":"prune.json","description":"Which old tool results llmblob leaves out of the context of the next request.",` +
		`"type":"object","additionalProperties":false,"properties":{` +
		`"$schema":{"description":"Where this schema is, for editors.","type":"string"}`)
	defaults := DefaultConfig()
	for _, f := range fields() {
		dst = append(appendString(append(dst, ','), f.name), `:{"description":`...)
		dst = append(appendString(dst, f.description), ',')
		dst = append(append(dst, f.schema...), `,"default":`...)
		dst = append(f.append(dst, &defaults), '}')
	}
	return append(appendIndented(nil, append(dst, "}}"...)), '\n')
}
