package directoryapi_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/directoryapi"
)

func TestHoldReads(t *testing.T) {
	whole := bytes.Repeat([]byte("0123456789abcdef"), directoryapi.MaxBody/16)
	for _, size := range []int{1, 511, 1023, 1024, 1025, 4000, directoryapi.MaxBody - 1, directoryapi.MaxBody} {
		for _, length := range []int64{int64(size), -1} {
			api := newAPI(&fixed{})
			got, release, err := api.Hold(1, iotest.HalfReader(bytes.NewReader(whole[:size])), length)
			if err != nil || !bytes.Equal(got, whole[:size]) {
				t.Errorf("a body of %d bytes, length %d: %d bytes, %v", size, length, len(got), err)
			}
			if held, _ := api.Held(); held < size || held > 2*size+1024 || length >= 0 && held > size+1 {
				t.Errorf("a body of %d bytes, length %d, counts %d", size, length, held)
			}
			release()
			release() // twice is once
			if held, partners := api.Held(); held != 0 || partners != 0 {
				t.Errorf("released: %d bytes of %d partners, want nothing", held, partners)
			}
		}
	}
}

// A body counts what has come of it, not what it announced: who is slow keeps nobody out.
func TestHoldCountsWhatCame(t *testing.T) {
	api := newAPI(&fixed{})
	cut := io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, release, err := api.Hold(1, cut, directoryapi.MaxBody)
	if held, _ := api.Held(); !errors.Is(err, io.ErrUnexpectedEOF) || held > 1024 {
		t.Errorf("100 bytes of 1 MiB: %v, %d bytes counted, want 1024 at most", err, held)
	}
	release()
	if held, _ := api.Held(); held != 0 {
		t.Errorf("released: %d bytes, want 0", held)
	}
}

// One partner has half of the memory at most, another half of what is left: there is always room for one more (P10).
func TestHoldIsShared(t *testing.T) {
	api := newAPI(&fixed{})
	full := func(p directory.PartnerID) (bodies int) {
		for {
			_, release, err := api.Hold(p, bytes.NewReader(make([]byte, directoryapi.MaxBody)), directoryapi.MaxBody)
			if err != nil {
				release()
				return bodies
			}
			bodies++
		}
	}
	var got []int
	for p := range directory.PartnerID(4) {
		got = append(got, full(p))
	}
	if want := []int{7, 4, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("whole bodies of one partner after another = %v, want %v of 16 MiB", got, want)
	}
	for p := directory.PartnerID(4); p < 8; p++ {
		if _, _, err := api.Hold(p, bytes.NewReader(make([]byte, 1000)), 1000); err != nil {
			t.Errorf("an ordinary body of partner %d beside them = %v, want room", p, err)
		}
	}
	if held, _ := api.Held(); held > directoryapi.MaxHeld {
		t.Errorf("%d bytes are held, want %d at most", held, directoryapi.MaxHeld)
	}
}

func TestHoldConcurrently(t *testing.T) {
	api := newAPI(&fixed{})
	var wg sync.WaitGroup
	for p := range directory.PartnerID(32) {
		wg.Go(func() {
			for range 20 {
				_, release, _ := api.Hold(p%5, bytes.NewReader(make([]byte, directoryapi.MaxBody)), -1)
				release()
			}
		})
	}
	wg.Wait()
	if held, partners := api.Held(); held != 0 || partners != 0 {
		t.Errorf("at the end %d bytes of %d partners are held, want nothing", held, partners)
	}
}

// A body for which there is no room is refused, for a second.
func TestBusy(t *testing.T) {
	api := newAPI(&fixed{})
	for range 16 {
		api.Hold(7, bytes.NewReader(make([]byte, directoryapi.MaxBody)), directoryapi.MaxBody)
	}
	w := send(t, api, "POST", prefix+"/entities", string(make([]byte, directoryapi.MaxBody)))
	expect(t, "no room", w, 503, detail("Service Unavailable"))
	if w.Header().Get("Retry-After") != "1" || w.Header().Get("Connection") != "close" {
		t.Errorf("no room: %v, want Retry-After 1 and Connection close", w.Header())
	}
}
