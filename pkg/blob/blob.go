// Package blob has the words of llmblob: what a blob is, how it is named, and what a store of blobs promises. It opens
// no file.
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// Type is what the file ending of a blob tells of it.
type Type string

// The types of blobs.
const (
	Text Type = "text" // any bytes
	JSON Type = "json" // exactly one valid JSON value
)

// Ending returns the file ending of the type, without its point.
func (t Type) Ending() string {
	if t == JSON {
		return "json"
	}
	return "txt"
}

// Info are the facts of a blob that cost no reading of it.
type Info struct {
	ID      ID
	Type    Type
	Bytes   int64
	Created time.Time // when the id was made where it tells (version 7), else ModTime
	ModTime time.Time // when the blob was stored last: its age for collecting
}

// Blob is an open blob. Its bytes never change. A Blob may have a method Bytes() ([]byte, error) that gives all of them
// without reading them into memory, valid until Close.
type Blob interface {
	io.ReaderAt
	Info() Info
	Close() error
}

// Stage takes bytes that nobody sees before Commit. It ends with a Commit that succeeds or with Abort.
type Stage interface {
	// Write appends. It reports how much it has taken, also on failure.
	io.Writer
	// ReadAt reads what Write has taken, before Commit is called, where Bytes fails too. It may be called while Write is.
	io.ReaderAt
	// Bytes returns all that Write has taken, valid until the Stage ends, failures or not. Nothing may be written after it.
	Bytes() ([]byte, error)
	// Commit makes the bytes a blob: on nil they are whole, visible and durable under id. A blob of that id, type and
	// bytes that is there already is success and counts as stored now; any other blob of that id is ErrExists. After a
	// failure only Bytes and Abort are of use.
	Commit(t Type, id ID) (Info, error)
	// Abort forgets the bytes. Once the Stage has ended it does nothing.
	Abort() error
}

// QuickLister is what a Store can do beyond: to list in a fraction of the time that List takes, for it looks at no blob.
type QuickLister interface {
	// QuickList yields what List does, in the same order, and maybe such as only has the name of a blob. Of the Info only ID and Type
	// are set, and Created where the ID tells it. After an error it yields no more.
	QuickList(ctx context.Context) iter.Seq2[Info, error]
}

// Store keeps blobs. It is safe for use by many goroutines and processes at once.
type Store interface {
	// Stage begins a new blob.
	Stage(ctx context.Context) (Stage, error)
	// Open opens a blob for reading, ErrNotFound where there is none. A reader sees all of a blob or none.
	Open(ctx context.Context, id ID) (Blob, error)
	// Stat tells the facts of a blob, ErrNotFound where there is none.
	Stat(ctx context.Context, id ID) (Info, error)
	// List yields the blobs there are, in the order of their ids. After an error it yields no more.
	List(ctx context.Context) iter.Seq2[Info, error]
	// Delete removes a blob, ErrNotFound where there is none.
	Delete(ctx context.Context, id ID) error
}

// Errors that a Store answers, for errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists with other content")
	ErrDamaged  = errors.New("damaged")
)

// NewInfo returns the facts of a blob, of which Created follows from the others.
func NewInfo(id ID, t Type, bytes int64, modTime time.Time) Info {
	info := Info{ID: id, Type: t, Bytes: bytes, Created: modTime, ModTime: modTime}
	if id.Version() == 7 {
		sec, nsec := id.Time().UnixTime()
		if created := time.Unix(sec, nsec); created.UTC().Year() <= 9999 { // as RFC 3339 can tell it
			info.Created = created
		}
	}
	return info
}

// Bytes returns all bytes of a blob: without reading them where the blob can, else read into memory.
func Bytes(b Blob) ([]byte, error) {
	if m, ok := b.(interface{ Bytes() ([]byte, error) }); ok {
		return m.Bytes()
	}
	data := make([]byte, b.Info().Bytes)
	if _, err := b.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}
