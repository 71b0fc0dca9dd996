package commandline

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// The types of flags whose wrong values are explained.

// Count is a whole number that is not negative.
type Count int

// UnmarshalText reads digits.
func (c *Count) UnmarshalText(b []byte) error {
	n, err := whole(b, 63)
	*c = Count(n)
	return err
}

// whole reads a whole number of so many bits.
func whole(b []byte, bits int) (uint64, error) {
	n, err := strconv.ParseUint(string(b), 10, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q is too large", b)
	case err != nil:
		return 0, fmt.Errorf("%q is no whole number; give 0 or more", b)
	}
	return n, nil
}

// Shards is a flag that may have a number, of the shards of a distributed database.
type Shards struct {
	Asked bool
	// Number is 0 where the flag has none.
	Number int
}

// IsBool tells kong that the flag needs no value.
func (*Shards) IsBool() bool { return true }

// Decode reads the number that a = has put behind the flag.
func (s *Shards) Decode(ctx *kong.DecodeContext) error {
	s.Asked = true
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	text := ctx.Scan.Pop().String()
	n, err := whole([]byte(text), 15)
	if err != nil || n == 0 || n > maxShards {
		return fmt.Errorf("%q is no number of shards; give 1 to %d", text, maxShards)
	}
	s.Number = int(n)
	return nil
}

// maxShards is how many shards Citus makes at most of a table.
const maxShards = 32000

// Grace is a duration that may also be given in days, such as 7d.
type Grace time.Duration

// UnmarshalText reads a whole number of days with a `d`, or what time.ParseDuration reads, not negative.
func (g *Grace) UnmarshalText(b []byte) error {
	text := string(b)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16) // up to 179 years
		*g = Grace(time.Duration(n) * 24 * time.Hour)
		if err != nil {
			return fmt.Errorf("%q is no number of days such as 7d", text)
		}
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no duration such as 7d, 12h or 30m", text)
	}
	*g = Grace(d)
	return nil
}

// Duration is a time of more than nothing.
type Duration time.Duration

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(b []byte) error {
	read, err := time.ParseDuration(string(b))
	if err != nil || read <= 0 {
		return fmt.Errorf("%q is no time such as 2h or 30m", b)
	}
	*d = Duration(read)
	return nil
}

// Proxies are networks: a list of addresses and CIDRs, such as 10.0.0.0/8,::1.
type Proxies []netip.Prefix

// UnmarshalText reads a list; an empty one is none.
func (p *Proxies) UnmarshalText(text []byte) error {
	var read Proxies
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

// Secret is a text that may begin with -, as one in 64 does.
type Secret string

// Decode takes the next word as it is.
func (s *Secret) Decode(ctx *kong.DecodeContext) error {
	word := ctx.Scan.Pop()
	if word.IsEOL() {
		return errors.New("give the secret of the key")
	}
	*s = Secret(word.String())
	return nil
}

// Clock returns a clock that runs on from a time.
func Clock(text string) (func() time.Time, error) {
	from, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("%q is no time; write it as 2026-11-21T16:59:50-03:00", text)
	}
	start := time.Now()
	return func() time.Time { return from.Add(time.Since(start)) }, nil
}
