package snapshot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/lectern-dev/lectern/auth"
)

// Versions names a snapshot of a tenant's data: the version of its tables, and the number of the load that made its
// facts.
type Versions struct{ Registers, Facts int64 }

// LoadsAfter returns the span of the loads that follow a load, up to and including a later one.
func LoadsAfter(facts, later int64) Span { return Span{facts + 1, later + 1} }

// Snapshot names a snapshot and the day, or the hour, at which it was current: X-Snapshot shows it (H12). Of is the
// number of days or hours since 1970, as the API counts them.
type Snapshot struct {
	Versions
	Of int32
}

// Query is a digest of a query: two answers with one digest are answers to the same query.
type Query [8]byte

// PullKey names a pull, by a digest of its query and by its budget, the number of the first key in a chain of rotations.
type PullKey struct {
	Tenant auth.Tenant
	Budget int64
	Query  string
}

// The errors of snapshots.
var (
	// ErrSnapshot says that a text is not an X-Snapshot of an answer to the tenant.
	ErrSnapshot = errors.New("no snapshot of an earlier answer")
	// ErrGone is the error for a snapshot that has expired, or was lost in a failover.
	ErrGone = errors.New("the snapshot is no longer kept")
)

const (
	snapshotBytes = 8 + 8 + 4 + len(Query{})
	sealBytes     = 8
)

// Text returns the X-Snapshot of the answer to a query. It is signed with the tenant's secret, so that ParseSnapshot
// accepts only texts that the tenant was given.
func (s Snapshot) Text(q Query, t auth.Tenant, secret []byte) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, snapshotBytes+sealBytes), uint64(s.Registers))
	b = binary.BigEndian.AppendUint64(b, uint64(s.Facts))
	b = binary.BigEndian.AppendUint32(b, uint32(s.Of))
	b = append(b, q[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, seal(t, secret, b)...))
}

// ParseSnapshot reads what Text returned for the tenant. The error is ErrSnapshot.
func ParseSnapshot(text string, t auth.Tenant, secret []byte) (Snapshot, Query, error) {
	if len(text) != base64.RawURLEncoding.EncodedLen(snapshotBytes+sealBytes) {
		return Snapshot{}, Query{}, ErrSnapshot
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text) // skips line breaks, and then returns too few bytes
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
