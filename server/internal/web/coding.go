package web

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The content codings.
const (
	identity = ""
	gzipped  = "gzip"
	zstded   = "zstd"
)

// negotiate chooses a coding by the q-values of an Accept-Encoding header (H8): zstd before gzip before none where they tie.
// A client gets zstd only when it names it: `*` comes from proxies that can read no more than gzip. A body that is not worth
// compressing is sent plain unless the client refuses that. When nothing that the client accepts is left, the body is plain
// all the same.
func negotiate(lines []string, plain bool) string {
	q := acceptedCodings(strings.Join(lines, ","))
	coding, best := identity, 0
	if q.zstd > best {
		coding, best = zstded, q.zstd
	}
	if q.gzip > best {
		coding, best = gzipped, q.gzip
	}
	if plain && q.identity > 0 || q.identityNamed && q.identity > best {
		return identity
	}
	return coding
}

// AcceptsGzip reports whether a client takes gzip, by the lines of its Accept-Encoding header.
func AcceptsGzip(lines []string) bool {
	return acceptedCodings(strings.Join(lines, ",")).gzip > 0
}

// codings are the q-values of what the server can send, in thousandths; 0 is not acceptable.
type codings struct {
	zstd, gzip, identity int
	identityNamed        bool
}

func acceptedCodings(header string) codings {
	const absent = -1
	c, rest := codings{gzip: absent, identity: absent}, absent
	for element := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(element, ";")
		q, ok := quality(params)
		if !ok {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case zstded:
			c.zstd = q
		case gzipped, "x-gzip":
			c.gzip = q
		case "identity":
			c.identity, c.identityNamed = q, true
		case "*":
			rest = q
		}
	}
	if c.gzip == absent {
		c.gzip = max(rest, 0)
	}
	if c.identity == absent && rest != 0 { // it needs no mention; `*;q=0` excludes even it
		c.identity = 1000
	}
	return c
}

// quality returns the q-value among the parameters in thousandths, 1000 without one; ok is false for one that is none.
func quality(params string) (q int, ok bool) {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			return thousandths(value)
		}
	}
	return 1000, true
}

// thousandths reads 0 to 1 with up to three decimals (RFC 9110, 12.4.2).
func thousandths(s string) (int, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(fraction) > 3 {
		return 0, false
	}
	n, ok := digits(whole + (fraction + "000")[:3])
	return int(n), ok && n <= 1000
}

// coder compresses whole bodies at the fastest level. The zero value is ready.
type coder struct {
	gzips sync.Pool // of *gzip.Writer
	zstds sync.Pool // of *zstd.Encoder
}

// encode appends body to dst in a coding other than identity. Writing to memory cannot fail.
func (c *coder) encode(dst []byte, coding string, body []byte) []byte {
	if coding == zstded {
		enc, ok := c.zstds.Get().(*zstd.Encoder)
		if !ok {
			enc, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		}
		defer c.zstds.Put(enc)
		return enc.EncodeAll(body, dst)
	}
	buf := bytes.NewBuffer(dst)
	gz, ok := c.gzips.Get().(*gzip.Writer)
	if !ok {
		gz, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)
	}
	defer c.gzips.Put(gz)
	gz.Reset(buf)
	gz.Write(body)
	gz.Close()
	return buf.Bytes()
}
