package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

const (
	secretBytes = 32 // random bytes of a key
	secretChars = 43 // their characters in unpadded base64url
)

// Key is all that is stored of an API key, without its secret. A zero time means that the key never expires, is not
// revoked, or was never used.
type Key struct {
	Tenant  Tenant
	Number  int // from 1, within the tenant; never reused
	API     API
	Network int64 // id of the network's entity for a schools key; 0 for the others
	Budget  int   // number of the first key in its chain of rotations: they share a rate budget

	Created  time.Time
	Expires  time.Time // the first instant at which the key is not valid
	Revoked  time.Time
	LastUsed time.Time // to the minute

	Hash [sha256.Size]byte // of the key's whole text; zero for a directory key, whose secret is sealed
}

// NewKey makes a new secret. It returns the key's text, to be shown once, and a Key with the tenant, the number, its own
// budget and the hash. The caller sets the other fields.
func NewKey(t Tenant, number int) (text string, k Key) {
	var secret [secretBytes]byte
	rand.Read(secret[:])
	text = id(t, number) + "-" + base64.RawURLEncoding.EncodeToString(secret[:])
	return text, Key{Tenant: t, Number: number, Budget: number, Hash: Hash(text)}
}

// ParseKey returns the tenant and the number in the text of a key. ok is false unless the text has the form of a key:
// two positive decimal numbers without leading zeros, and 43 characters that are the base64url of 32 bytes. It does not
// check whether the key exists.
func ParseKey(text string) (t Tenant, number int, ok bool) {
	cut := len(text) - secretChars - 1
	if cut < 0 || text[cut] != '-' || !validSecret(text[cut+1:]) {
		return 0, 0, false
	}
	return ParseID(text[:cut])
}

// validSecret reports whether s is the canonical base64url of 32 bytes.
func validSecret(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// The decoder skips line breaks. Then the text has too few bytes.
	return err == nil && len(b) == secretBytes
}

// ParseID parses the id of a key, such as "7-3". It accepts exactly what [Key.ID] returns.
func ParseID(s string) (t Tenant, number int, ok bool) {
	left, right, ok := strings.Cut(s, "-")
	if !ok {
		return 0, 0, false
	}
	tenant, ok1 := parsePositive(left, 64)
	n, ok2 := parsePositive(right, 32) // the stored number has 32 bits
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	return Tenant(tenant), int(n), true
}

// parsePositive parses a positive decimal number, without sign or leading zero, that fits into a signed integer of the
// given bits.
func parsePositive(s string, bits int) (int64, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, bits)
	return n, err == nil
}

// Hash returns the hash that is stored of a key: the SHA-256 of its whole text.
func Hash(text string) [sha256.Size]byte {
	return sha256.Sum256([]byte(text))
}

// ID returns the public name of the key, "<tenant>-<number>".
func (k Key) ID() string { return id(k.Tenant, k.Number) }

func id(t Tenant, number int) string {
	return strconv.FormatInt(int64(t), 10) + "-" + strconv.Itoa(number)
}

// Matches reports whether text is the text of this key. It takes the same time wherever the two differ.
func (k Key) Matches(text string) bool {
	h := Hash(text)
	return subtle.ConstantTimeCompare(h[:], k.Hash[:]) == 1
}

// Live reports whether the key is valid at a time: it is not revoked, and has not expired.
func (k Key) Live(now time.Time) bool {
	if !k.Revoked.IsZero() {
		return false
	}
	return k.Expires.IsZero() || now.Before(k.Expires)
}

// RateBudget returns the budget that the key's requests count on (H6). Each chain of rotations has one, such as
// "schools/3". All keys of a library network share one, "libraries".
func (k Key) RateBudget() Budget {
	if k.API == Libraries {
		return Budget{Tenant: k.Tenant, Name: string(Libraries)}
	}
	return Budget{Tenant: k.Tenant, Name: string(k.API) + "/" + strconv.Itoa(k.Budget)}
}
