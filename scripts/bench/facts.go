package main

import "encoding/json"

// facts are what stat tells of a blob.
type facts struct{ Lines, Entries, Keys int }

func (w *workshop) facts(store, id string) (f facts, err error) {
	out, err := w.output(w.llmblob("stat", store, "stat", id))
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	return f, err
}

// lines is the number of lines of a stored text.
func (w *workshop) lines(store, id string) (int, error) {
	f, err := w.facts(store, id)
	return f.Lines, err
}

// storedJSON stores a file of JSON and returns its id and the number of its entries or keys.
func (w *workshop) storedJSON(file string) (id string, n int, err error) {
	if id, err = w.stored("jsonstore", file); err != nil {
		return "", 0, err
	}
	f, err := w.facts("jsonstore", id)
	return id, f.Entries + f.Keys, err
}
