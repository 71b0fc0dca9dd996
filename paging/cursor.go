package paging

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// ErrCursor is the error for a text that is not a cursor of the list: it was altered or truncated, or belongs to
// another list or key.
var ErrCursor = errors.New("invalid cursor")

// Sealer makes cursors, which a client sends back unchanged, and opens them (P8). A cursor names a position in one
// list. Without the Key nobody can alter it or make one for another list.
type Sealer struct {
	// Key is a secret of 32 random bytes that all servers share and keep over a restart. With an empty Key a cursor is
	// still checked for damage, but anyone can make one.
	Key []byte
}

const (
	positionBytes = 8
	macBytes      = 16
	sealedBytes   = positionBytes + macBytes // a multiple of 3: base64 has no bits left over

	// purpose distinguishes cursors from anything else that is signed with the same key, and from later formats.
	purpose = "cursor 1\x00"
)

// Seal returns the cursor of a position in a list: 32 characters of A-Za-z0-9_-. The text list identifies the list: it
// contains tenant, route and filter. The position is a number that orders the list and does not change, such as a row's
// creation number. The same position always has the same cursor.
func (s Sealer) Seal(list string, position int64) string {
	var b [sealedBytes]byte
	binary.BigEndian.PutUint64(b[:], uint64(position))
	copy(b[positionBytes:], s.mac(list, b[:positionBytes]))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Open returns the position of a cursor that [Sealer.Seal] made for the same list with the same key. The error is
// [ErrCursor] for any other text.
func (s Sealer) Open(list, cursor string) (int64, error) {
	if len(cursor) != base64.RawURLEncoding.EncodedLen(sealedBytes) {
		return 0, ErrCursor
	}
	// The decoder skips line breaks, and then returns too few bytes.
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) != sealedBytes {
		return 0, ErrCursor
	}
	if !hmac.Equal(b[positionBytes:], s.mac(list, b[:positionBytes])) {
		return 0, ErrCursor
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// mac returns the first bytes of the HMAC-SHA256 of purpose, position and list. The first two have a fixed length, so
// that different cursors never have the same input.
func (s Sealer) mac(list string, position []byte) []byte {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte(purpose))
	h.Write(position)
	h.Write([]byte(list))
	return h.Sum(nil)[:macBytes]
}
