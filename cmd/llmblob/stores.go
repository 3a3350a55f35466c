package main

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/fsstore"
)

// storeChoice is where the store is and what said so.
type storeChoice struct{ path, by string }

// chooseStore finds the store: the flag, the environment, or the place for data of the user.
func (a *app) chooseStore() (storeChoice, error) {
	if s := a.flags.store; s != "" {
		return a.location(s, "chosen by --store")
	}
	if s := a.getenv("LLMBLOB_STORE"); s != "" {
		return a.location(s, "chosen by LLMBLOB_STORE")
	}
	if runtime.GOOS == "windows" {
		if s := a.getenv("LOCALAPPDATA"); s != "" {
			return storeChoice{filepath.Join(s, "llmblob", "blobs"), "the default"}, nil
		}
	} else if s := a.getenv("XDG_DATA_HOME"); filepath.IsAbs(s) { // a relative one is to be ignored (XDG base directories)
		return storeChoice{filepath.Join(s, "llmblob", "blobs"), "in XDG_DATA_HOME"}, nil
	} else if s := a.getenv("HOME"); s != "" {
		return storeChoice{filepath.Join(s, ".local", "share", "llmblob", "blobs"), "the default"}, nil
	}
	return storeChoice{}, &statusError{exitFailed, &usageError{
		msg:  "store: there is no home directory to keep blobs in",
		hint: "set LLMBLOB_STORE to a directory",
	}}
}

// location reads a store's name: a path or a file URL.
func (a *app) location(s, by string) (storeChoice, error) {
	if scheme, _, ok := strings.Cut(s, ":"); ok && strings.EqualFold(scheme, "file") {
		u, err := url.Parse(s)
		if err != nil || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") || u.RawQuery != "" || u.Fragment != "" {
			return storeChoice{}, usageErrorf("store %q, %s: not a file URL, as in file:///var/blobs", s, by)
		}
		s = filepath.FromSlash(u.Path)
	} else if scheme, _, ok := strings.Cut(s, "://"); ok {
		return storeChoice{}, usageErrorf("store %q, %s: no stores of the kind %s:// here, a path or file:// is needed", s, by, scheme)
	}
	path, err := filepath.Abs(s)
	if err != nil {
		return storeChoice{}, err
	}
	return storeChoice{path, by}, nil
}

// openStore returns the store. It touches nothing yet.
func (a *app) openStore() (blob.Store, error) {
	if a.store != nil {
		return a.store, nil
	}
	choice, err := a.chooseStore()
	if err != nil {
		return nil, err
	}
	st, err := fsstore.New(choice.path, fsstore.Options{NoSync: a.flags.noSync, Now: a.now, FS: a.disk})
	if err != nil {
		return nil, err
	}
	a.store, a.choice = st, choice
	return st, nil
}
