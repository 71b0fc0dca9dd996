package directoryapi

import (
	"io"
	"sync"

	"github.com/lectern-dev/lectern/directory"
)

// maxHeld is how many bytes of bodies are in memory at most, over all connections (P10).
const maxHeld = 16 << 20

// holds counts the bytes of the bodies that are in memory. The zero value is ready to use.
type holds struct {
	mu        sync.Mutex
	all       int
	byPartner map[directory.PartnerID]int
}

// take counts n bytes more for a partner and reports whether there is room for them. A partner may hold as much as it
// leaves for others, so that however many bodies it begins and does not end, there is room for theirs.
func (h *holds) take(p directory.PartnerID, n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byPartner[p]+n > maxHeld-h.all-n {
		return false
	}
	if h.byPartner == nil {
		h.byPartner = make(map[directory.PartnerID]int)
	}
	h.byPartner[p] += n
	h.all += n
	return true
}

func (h *holds) give(p directory.PartnerID, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all -= n
	if h.byPartner[p] -= n; h.byPartner[p] == 0 {
		delete(h.byPartner, p)
	}
}

// body is the body of a request. Its memory is counted until it is released; the zero body is empty and counts nothing.
type body struct {
	bytes   []byte
	holds   *holds
	partner directory.PartnerID
}

// read reads a body to its end, of which length bytes are announced, -1 for none. Memory is taken as bytes come, not for
// what is announced, so that who announces much and sends little holds little. The error is errBusy or that of r.
func (b *body) read(r io.Reader, length int64) error {
	for {
		if len(b.bytes) == cap(b.bytes) && !b.grow(length) {
			return errBusy
		}
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

const firstBuffer = 1 << 10

// grow doubles the memory, to no more than the body can be and the byte that shows that it has ended.
func (b *body) grow(length int64) bool {
	most := maxBody + 1
	if length >= 0 {
		most = min(most, int(length)+1)
	}
	size := min(max(2*cap(b.bytes), firstBuffer), most)
	if size <= cap(b.bytes) || !b.holds.take(b.partner, size-cap(b.bytes)) {
		return false
	}
	larger := make([]byte, len(b.bytes), size)
	copy(larger, b.bytes)
	b.bytes = larger
	return true
}

// release gives back what the body counts, and the body.
func (b *body) release() {
	if n := cap(b.bytes); n > 0 {
		b.bytes = nil
		b.holds.give(b.partner, n)
	}
}
