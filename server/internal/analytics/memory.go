package analytics

import (
	"sync"

	"github.com/lectern-dev/lectern/libraries"
)

// memory keeps the answers of one hour that could not be stored. The zero memory is empty.
type memory struct {
	mu      sync.Mutex
	hour    libraries.Hour
	answers map[string][]byte
	bytes   int
}

// memoryBytes bounds what is kept.
const memoryBytes = 8 << 20

// get returns the answer of a name that is kept for the hour.
func (m *memory) get(hour libraries.Hour, name string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hour != hour {
		return nil, false
	}
	data, ok := m.answers[name]
	return data, ok
}

// put keeps an answer and forgets those of other hours. It reports whether there was room.
func (m *memory) put(hour libraries.Hour, name string, data []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hour != hour || m.answers == nil {
		m.hour, m.answers, m.bytes = hour, map[string][]byte{}, 0
	}
	if m.bytes+len(data) > memoryBytes {
		return false
	}
	m.answers[name] = data
	m.bytes += len(data)
	return true
}
