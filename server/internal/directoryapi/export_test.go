package directoryapi

import (
	"io"

	"github.com/lectern-dev/lectern/directory"
)

// Decode is decode, for the fuzz test.
var Decode = decode

// The bounds of bodies, for their test.
const (
	MaxBody = maxBody
	MaxHeld = maxHeld
)

// Hold reads a body as a request of a partner does, and returns what releases it.
func (a *API) Hold(p directory.PartnerID, r io.Reader, length int64) (bytes []byte, release func(), err error) {
	b := &body{holds: &a.holds, partner: p}
	err = b.read(r, length)
	return b.bytes, b.release, err
}

// Held returns how many bytes are counted, and for how many partners.
func (a *API) Held() (bytes, partners int) { return a.holds.all, len(a.holds.byPartner) }
