package mcp

import "testing"

// What is answered at once is in memory at once: a long message takes the place of many.
func TestLongMessagesTakeMorePlace(t *testing.T) {
	for _, m := range []struct{ bytes, slots int }{{0, 1}, {1000, 1}, {maxLine / 2, 1 + maxInFlight/2}, {maxLine - 1, maxInFlight}, {maxLine, maxInFlight}} {
		c := &connection{}
		slots, end := make(chan struct{}, maxInFlight), make(chan struct{})
		c.run(slots, m.bytes, func() { <-end })
		if len(slots) != m.slots {
			t.Errorf("a message of %d bytes takes %d slots, want %d", m.bytes, len(slots), m.slots)
		}
		close(end)
		c.wg.Wait()
		if len(slots) != 0 {
			t.Errorf("a message of %d bytes keeps %d slots", m.bytes, len(slots))
		}
	}
}
