package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// blobID is the id of the nth blob: a UUID of version 7, so that they sort by n.
func blobID(n int) string {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	var b [16]byte
	stamp := 1_767_225_600_000 + uint64(n) // milliseconds, from 2026 on
	for i := range 6 {
		b[i] = byte(stamp >> (40 - 8*i))
	}
	for i := 6; i < len(b); i++ {
		b[i] = byte(r.Uint32())
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// writeBlob writes the nth blob, as a store keeps it. Every second one is JSON.
func writeBlob(store string, n int) error {
	if n%2 == 1 {
		return os.WriteFile(filepath.Join(store, blobID(n)+".json"), fmt.Appendf(nil, `{"n": %d}`, n), 0o600)
	}
	return os.WriteFile(filepath.Join(store, blobID(n)+".txt"), fmt.Appendf(nil, "this is blob %d\n", n), 0o600)
}

// fillStore writes the blobs from from on, up to to, directly: a million processes would take an hour.
func (w *workshop) fillStore(store string, from, to int) error {
	if err := os.MkdirAll(store, 0o700); err != nil {
		return err
	}
	errs := make([]error, 2*runtime.NumCPU())
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for n := from + i; n < to && errs[i] == nil && w.ctx.Err() == nil; n += len(errs) {
				errs[i] = writeBlob(store, n)
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, w.ctx.Err())...)
}
