package libraries_test

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
)

// TestNewEventID tests that the hash of an event id does not change, because it is stored.
func TestNewEventID(t *testing.T) {
	sum := sha256.Sum256([]byte("s" + "\x05\x00\x00\x00\x00\x00\x00\x00" + "\xaf\x50\x00\x00" + "abc"))
	want := libraries.EventID(binary.LittleEndian.Uint64(sum[:]))
	if got := libraries.NewEventID('s', []byte("abc"), 5, libraries.HistoryStart); got != want {
		t.Errorf("NewEventID = %x, want %x", got, want)
	}
}

// TestEventsDiffer tests that events differ if their id, reader, day or resource differs (F1).
func TestEventsDiffer(t *testing.T) {
	ids := map[libraries.EventID]bool{}
	long := strings.Repeat("á", 64) // the longest that a feed may have
	texts := []string{"", "1", "12", long, long + "1"}
	for _, resource := range []byte{libraries.SessionResource, libraries.PreviewResource, libraries.ActivityResource, libraries.RenewalResource, libraries.RequestResource} {
		for _, reader := range []int64{0, 1, 256} {
			for _, text := range texts {
				ids[libraries.NewEventID(resource, []byte(text), reader, 20_655)] = true
				ids[libraries.NewEventID(resource, []byte(text), reader, 20_656)] = true
			}
		}
	}
	if want := 5 * 3 * len(texts) * 2; len(ids) != want {
		t.Errorf("%d different events, want %d", len(ids), want)
	}
}

func TestNewEventIDDoesNotAllocate(t *testing.T) {
	id := []byte(strings.Repeat("á", 64))
	if n := testing.AllocsPerRun(100, func() { libraries.NewEventID('s', id, 1, 2) }); n != 0 {
		t.Errorf("NewEventID allocates %v times, want 0", n)
	}
}
