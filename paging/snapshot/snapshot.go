package snapshot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/lectern-dev/lectern/auth"
)

// Snapshot names a state and the day, or the hour, that it was: what X-Snapshot says (H12). Of is a number of days or hours
// since 1970, as the API counts.
type Snapshot struct {
	Versions
	Of int32
}

// Query is a digest of a query, so that two answers to one query can be told from answers to two.
type Query [8]byte

// PullKey names a pull: by a digest of its query, and by the number of the first key of the chain of rotations that it belongs to.
type PullKey struct {
	Tenant auth.Tenant
	Budget int64
	Query  string
}

// The errors of snapshots.
var (
	// ErrSnapshot says that a text is not the snapshot of an answer that the tenant was given.
	ErrSnapshot = errors.New("no snapshot of an earlier answer")
	// ErrGone says that a state is no longer kept, or was lost in a failover.
	ErrGone = errors.New("the state is no longer kept")
)

const (
	snapshotBytes = 8 + 8 + 4 + len(Query{})
	sealBytes     = 8
)

// Text returns X-Snapshot for the answer to a query. Only the holder of the tenant's secret can make one, so that a text that
// reads well was given to the tenant.
func (s Snapshot) Text(q Query, t auth.Tenant, secret []byte) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, snapshotBytes+sealBytes), uint64(s.Registers))
	b = binary.BigEndian.AppendUint64(b, uint64(s.Facts))
	b = binary.BigEndian.AppendUint32(b, uint32(s.Of))
	b = append(b, q[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, seal(t, secret, b)...))
}

// ParseSnapshot reads what Text wrote for the tenant; the error is ErrSnapshot.
func ParseSnapshot(text string, t auth.Tenant, secret []byte) (Snapshot, Query, error) {
	if len(text) != base64.RawURLEncoding.EncodedLen(snapshotBytes+sealBytes) {
		return Snapshot{}, Query{}, ErrSnapshot
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text) // it passes over line ends, and has too few bytes then
	if err != nil || len(b) != snapshotBytes+sealBytes || !hmac.Equal(b[snapshotBytes:], seal(t, secret, b[:snapshotBytes])) {
		return Snapshot{}, Query{}, ErrSnapshot
	}
	return Snapshot{
		Versions: Versions{int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))},
		Of:       int32(binary.BigEndian.Uint32(b[16:])),
	}, Query(b[20:snapshotBytes]), nil
}

func seal(t auth.Tenant, secret, snapshot []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(t)))
	mac.Write(snapshot)
	return mac.Sum(nil)[:sealBytes]
}
