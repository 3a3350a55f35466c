// Package offload decides what of a tool output goes into the history: the output itself while it is small, else the
// summary of a blob that keeps it byte for byte.
package offload

import (
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// Record are the facts of a content, and those of its blob where it has one. As JSON it is what the commands print.
type Record struct {
	ID      string         `json:"id,omitempty"` // "": not stored
	Type    summarize.Type `json:"type"`
	Bytes   int            `json:"bytes"`
	Lines   *int           `json:"lines,omitempty"`   // of a text
	Entries *int           `json:"entries,omitempty"` // of an array
	Keys    *int           `json:"keys,omitempty"`    // of an object, as written
	Created string         `json:"created,omitempty"` // in TimeFormat
	Summary string         `json:"summary,omitempty"`
}

// TimeFormat is how times are printed: RFC 3339 in UTC, to the millisecond.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// Describe returns the record of a blob that is stored.
func Describe(info blob.Info, facts summarize.Facts) Record {
	r := DescribeFacts(facts)
	r.ID, r.Created, r.Summary = info.ID.String(), info.Created.UTC().Format(TimeFormat), facts.Summary(info.ID.String())
	return r
}

// DescribeFacts returns the record of a content that is not stored.
func DescribeFacts(facts summarize.Facts) Record {
	r := Record{Type: facts.Type, Bytes: facts.Bytes, Summary: facts.Summary("")}
	switch count := facts.Count; facts.Type {
	case summarize.Text:
		r.Lines = &count
	case summarize.JSONArray:
		r.Entries = &count
	case summarize.JSONObject:
		r.Keys = &count
	}
	return r
}

// blobType is what the store is told of a type.
func blobType(t summarize.Type) blob.Type {
	if t == summarize.Text {
		return blob.Text
	}
	return blob.JSON
}
