package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// shards is a flag with an optional number, of the shards of a distributed database.
type shards struct {
	Asked bool
	// Number is 0 if the flag has none.
	Number int
}

// IsBool tells kong that the flag needs no value.
func (*shards) IsBool() bool { return true }

// Decode reads the number that follows an equals sign.
func (s *shards) Decode(ctx *kong.DecodeContext) error {
	s.Asked = true
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	text := ctx.Scan.Pop().String()
	n, err := strconv.ParseUint(text, 10, 15)
	if err != nil || n == 0 || n > maxShards {
		return fmt.Errorf("%q is no number of shards; give 1 to %d", text, maxShards)
	}
	s.Number = int(n)
	return nil
}

// count is a whole number in decimal digits: kong would read 010 as 8.
type count uint32

// UnmarshalText reads digits.
func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		return fmt.Errorf("expected a valid 32 bit uint but got %q", text) // as kong says it
	}
	*c = count(n)
	return nil
}

// maxShards is how many shards Citus makes at most of a table.
const maxShards = 32000

// grace is a duration that may also be given in days, such as 7d.
type grace time.Duration

// UnmarshalText reads a whole number of days with a `d`, or a duration as time.ParseDuration reads it. Neither may be negative.
func (g *grace) UnmarshalText(b []byte) error {
	text := string(b)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16) // up to 179 years
		*g = grace(time.Duration(n) * 24 * time.Hour)
		if err != nil {
			return fmt.Errorf("%q is no number of days such as 7d", text)
		}
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no duration such as 7d, 12h or 30m", text)
	}
	*g = grace(d)
	return nil
}

// proxies is a list of addresses and CIDR networks, such as 10.0.0.0/8,::1.
type proxies []netip.Prefix

// UnmarshalText reads a list; an empty one is none.
func (p *proxies) UnmarshalText(text []byte) error {
	var read proxies
	for _, entry := range strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := netip.ParsePrefix(entry)
		if a, none := netip.ParseAddr(entry); none == nil && a.Zone() == "" {
			a = a.Unmap()
			prefix, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return fmt.Errorf("trusted proxy %q: give addresses and networks with commas between them, such as 10.0.0.0/8,::1", entry)
		}
		read = append(read, prefix.Masked())
	}
	*p = read
	return nil
}

// secret is a text that may begin with `-`, as one secret in 64 does.
type secret string

// Decode takes the next word as it is.
func (s *secret) Decode(ctx *kong.DecodeContext) error {
	word := ctx.Scan.Pop()
	if word.IsEOL() {
		return errors.New("give the secret of the key")
	}
	*s = secret(word.String())
	return nil
}
