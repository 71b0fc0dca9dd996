package paging

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// ErrCursor is the error for a text that is no cursor of the list: altered, cut, of another list or of another key.
var ErrCursor = errors.New("invalid cursor")

// Sealer makes cursors, which a client returns as it got them, and reads them back (P8). A cursor names a position in
// one list, and cannot be altered or used on another list by anyone who does not have the Key.
type Sealer struct {
	// Key is the secret, 32 random bytes, that all replicas of the service share and keep over a restart. With an empty
	// Key cursors work as well and still show any damage, but anyone can make them.
	Key []byte
}

const (
	positionBytes = 8
	macBytes      = 16
	sealedBytes   = positionBytes + macBytes // a multiple of 3: base64 has no bits left over

	// purpose keeps cursors apart from all else that is ever signed with the same key, and from later forms of them.
	purpose = "cursor 1\x00"
)

// Seal returns the cursor of a position in a list: 32 characters of A-Za-z0-9_-. The text list says which list it is: it
// names all that makes it another list, which is tenant, route and filter. The position is any number that orders the list
// and stays with its row, such as the row's creation number. The same position always has the same cursor.
func (s Sealer) Seal(list string, position int64) string {
	var b [sealedBytes]byte
	binary.BigEndian.PutUint64(b[:], uint64(position))
	copy(b[positionBytes:], s.mac(list, b[:positionBytes]))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Open returns the position of a cursor that [Sealer.Seal] made for the same list with the same key. The error is
// [ErrCursor] for any other text, the empty one too.
func (s Sealer) Open(list, cursor string) (int64, error) {
	if len(cursor) != base64.RawURLEncoding.EncodedLen(sealedBytes) {
		return 0, ErrCursor
	}
	// A line end among the characters is passed over by the decoder, and leaves too few bytes.
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) != sealedBytes {
		return 0, ErrCursor
	}
	if !hmac.Equal(b[positionBytes:], s.mac(list, b[:positionBytes])) {
		return 0, ErrCursor
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// mac returns the first bytes of HMAC-SHA256 over purpose, position and list. The first two are of fixed length, so that
// no two different cursors have the same input.
func (s Sealer) mac(list string, position []byte) []byte {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte(purpose))
	h.Write(position)
	h.Write([]byte(list))
	return h.Sum(nil)[:macBytes]
}
