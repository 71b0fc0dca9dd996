package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"
)

// The types of flags whose wrong values are explained.

// count is a whole number that is not negative.
type count int

// UnmarshalText reads digits.
func (c *count) UnmarshalText(b []byte) error {
	n, err := whole(b, 63)
	*c = count(n)
	return err
}

// seed is the beginning of chance.
type seed uint64

// UnmarshalText reads digits.
func (s *seed) UnmarshalText(b []byte) error {
	n, err := whole(b, 64)
	*s = seed(n)
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

// levels are the names of what can be logged, the most first.
var levels = []string{"debug", "info", "warn", "error", "disabled"}

// level is the least level that is logged.
type level zerolog.Level

// UnmarshalText reads one of levels.
func (l *level) UnmarshalText(b []byte) error {
	for _, name := range levels {
		if parsed, err := zerolog.ParseLevel(name); err == nil && strings.EqualFold(name, string(b)) {
			*l = level(parsed)
			return nil
		}
	}
	return fmt.Errorf("%q is no level; choose %s", b, alternatives(levels))
}

// grace is a duration that may also be given in days, such as 7d.
type grace time.Duration

// UnmarshalText reads a whole number of days with a `d`, or what time.ParseDuration reads, not negative.
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

// duration is a time of more than nothing.
type duration time.Duration

// UnmarshalText reads what time.ParseDuration reads.
func (d *duration) UnmarshalText(b []byte) error {
	read, err := time.ParseDuration(string(b))
	if err != nil || read <= 0 {
		return fmt.Errorf("%q is no time such as 2h or 30m", b)
	}
	*d = duration(read)
	return nil
}

// secret is a text that may begin with -, as one in 64 does.
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

// alternatives writes a choice as text: a, b or c.
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
