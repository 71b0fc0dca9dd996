package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	secretBytes = 32 // of randomness in a key
	secretChars = 43 // of unpadded base64url that they make
)

// Key is what is known of an API key, which is everything but its secret. Times
// are zero where there is none: a key without expiry, not revoked, never used.
type Key struct {
	Tenant  Tenant
	Number  int // from 1, within the tenant; never reused
	API     API
	Network int64 // id of the network's entity on a schools key; 0 on the others
	Budget  int   // number of the first key of its chain of rotations, whose rate budget it shares

	Created  time.Time
	Expires  time.Time // the first moment at which the key is no longer good
	Revoked  time.Time
	LastUsed time.Time // to the minute

	Hash [sha256.Size]byte // of the key's whole text; zero on a directory key, whose secret is sealed instead
}

// NewKey draws the secret of a new key from random, which should be
// [crypto/rand.Reader], and returns the key's text, to be shown once, and a Key
// with the tenant, the number, a budget of its own and the hash. The caller
// fills in the rest. The error is that of random.
func NewKey(random io.Reader, t Tenant, number int) (text string, k Key, err error) {
	var secret [secretBytes]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return "", Key{}, fmt.Errorf("key %s: random bytes: %w", id(t, number), err)
	}
	text = id(t, number) + "-" + base64.RawURLEncoding.EncodeToString(secret[:])
	return text, Key{Tenant: t, Number: number, Budget: number, Hash: Hash(text)}, nil
}

// ParseKey takes the tenant and the number from the text of a key and reports
// whether the text has the form of one: two positive numbers in plain decimal
// without leading zeros, and 43 characters that are base64url of 32 bytes. It
// says nothing about whether such a key exists.
func ParseKey(text string) (t Tenant, number int, ok bool) {
	cut := len(text) - secretChars - 1
	if cut < 0 || text[cut] != '-' || !validSecret(text[cut+1:]) {
		return 0, 0, false
	}
	return ParseID(text[:cut])
}

// validSecret reports whether s is the one spelling of 32 bytes in base64url.
func validSecret(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// The decoder skips line breaks; a text with one is too short then.
	return err == nil && len(b) == secretBytes
}

// ParseID reads the id of a key, such as "7-3". It is the inverse of [Key.ID]:
// what parses is spelled exactly as ID spells it.
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

// parsePositive reads a number from 1 in plain decimal digits, no sign, no
// leading zero, that a signed integer of the given bits holds.
func parsePositive(s string, bits int) (int64, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, bits)
	return n, err == nil
}

// Hash is what is stored of a key: the SHA-256 of its whole text.
func Hash(text string) [sha256.Size]byte {
	return sha256.Sum256([]byte(text))
}

// ID is the public name of the key, "<tenant>-<number>".
func (k Key) ID() string { return id(k.Tenant, k.Number) }

func id(t Tenant, number int) string {
	return strconv.FormatInt(int64(t), 10) + "-" + strconv.Itoa(number)
}

// Matches reports whether text is the text of this key. It takes the same time
// wherever the two differ, so that an answer's delay tells nothing.
func (k Key) Matches(text string) bool {
	h := Hash(text)
	return subtle.ConstantTimeCompare(h[:], k.Hash[:]) == 1
}

// Live reports whether the key is good at now: not revoked, whenever that was,
// and before its expiry.
func (k Key) Live(now time.Time) bool {
	if !k.Revoked.IsZero() {
		return false
	}
	return k.Expires.IsZero() || now.Before(k.Expires)
}

// RateBudget is the budget on which the key's requests count (H6): one for each
// chain of rotations, as "schools/3"; one for all keys of a library network,
// "libraries".
func (k Key) RateBudget() Budget {
	if k.API == Libraries {
		return Budget{Tenant: k.Tenant, Name: string(Libraries)}
	}
	return Budget{Tenant: k.Tenant, Name: string(k.API) + "/" + strconv.Itoa(k.Budget)}
}
