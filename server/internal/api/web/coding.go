package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"mime"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// The content codings.
const (
	identity = ""
	gzipped  = "gzip"
	zstded   = "zstd"
)

// plainBelow is the size below which a body is sent uncompressed: compression gains nothing.
const plainBelow = 1 << 10

// AcceptsGzip reports whether a client takes gzip, by the lines of its Accept-Encoding header.
func AcceptsGzip(lines []string) bool {
	return acceptedCodings(lines).gzip > 0
}

// codings are the q-values of the codings that the server can send, in thousandths; 0 is not acceptable.
type codings struct {
	zstd, gzip, identity int
	identityNamed        bool
}

// choose chooses a coding by the q-values (H8). If they tie, zstd comes before gzip before none. A client gets zstd only if it
// names it: `*` comes from proxies that can read no more than gzip. A body that is not worth compressing is sent plain unless the
// client refuses that. If the client accepts nothing that is left, the body is plain all the same.
func (q codings) choose(plain bool) string {
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

func acceptedCodings(lines []string) codings {
	const absent = -1
	c, rest := codings{gzip: absent, identity: absent}, absent
	for o := range offers(lines) {
		switch o.name {
		case zstded:
			c.zstd = o.q
		case gzipped, "x-gzip":
			c.gzip = o.q
		case "identity":
			c.identity, c.identityNamed = o.q, true
		case "*":
			rest = o.q
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

// offer is an element of an Accept or Accept-Encoding header: a name in lower case, parameters, and its weight in thousandths.
type offer struct {
	name   string
	params map[string]string
	q      int
}

// offers yields the elements of a header. It skips malformed elements and those with a malformed weight.
func offers(lines []string) iter.Seq[offer] {
	return func(yield func(offer) bool) {
		for element := range strings.SplitSeq(strings.Join(lines, ","), ",") {
			name, params, err := mime.ParseMediaType(element)
			o := offer{name, params, 1000}
			good := err == nil
			if weight, ok := params["q"]; ok {
				o.q, good = thousandths(weight)
			}
			if good && !yield(o) {
				return
			}
		}
	}
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

// The encoders, which compress at the fastest level.
var (
	gzips = sync.Pool{New: func() any { w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed); return w }}
	zstds = sync.Pool{New: func() any {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		return w
	}}
)

// encode appends body to dst in a coding other than identity. Writing to memory cannot fail.
func encode(dst []byte, coding string, body []byte) []byte {
	if coding == zstded {
		enc := zstds.Get().(*zstd.Encoder)
		defer zstds.Put(enc)
		return enc.EncodeAll(body, dst)
	}
	buf := bytes.NewBuffer(dst)
	gz := gzips.Get().(*gzip.Writer)
	defer gzips.Put(gz)
	gz.Reset(buf)
	gz.Write(body)
	gz.Close()
	return buf.Bytes()
}

// format is a form of rows.
type format uint8

const (
	formatJSON format = iota
	formatCSV
	formatNDJSON
	formatXLSX
)

var contentTypes = [...]string{
	formatJSON:   jsonType,
	formatCSV:    "text/csv; charset=utf-8; header=present",
	formatNDJSON: "application/x-ndjson; charset=utf-8",
	formatXLSX:   wire.XLSXType,
}

// accepted returns the format that an Accept header prefers: the first of those with the highest q. Everything that the header
// does not name, or that the server does not have, is JSON.
func accepted(lines []string) format {
	best, chosen := 0, formatJSON
	for o := range offers(lines) {
		f := formatJSON
		switch o.name {
		case "text/csv":
			f = formatCSV
		case "application/x-ndjson":
			f = formatNDJSON
		case wire.XLSXType:
			f = formatXLSX
		case "application/json":
		case "application/*", "*/*": // a little less than a type
			o.q--
		default:
			continue
		}
		if o.q > best {
			best, chosen = o.q, f
		}
	}
	return chosen
}

// entityTag returns the weak tag of a text.
func entityTag(text []byte) string { return `W/"` + digest(text) + `"` }

// digest is 128 bits of a SHA-256, as text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// matches reports whether an If-None-Match header names the tag, by weak comparison, or any tag by `*`.
func matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for t := range entityTags(lines) {
		if t == tag || t == "*" {
			return true
		}
	}
	return false
}

// entityTags yields the tags of an If-None-Match header in their quotes, or `*`, which ends the list. So does anything malformed.
func entityTags(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		list := strings.Join(lines, ",")
		for {
			list = strings.TrimLeft(list, " \t,")
			if strings.HasPrefix(list, "*") {
				yield("*")
				return
			}
			list = strings.TrimPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				return
			}
			end := strings.IndexByte(list[1:], '"')
			if end < 0 || !yield(list[:end+2]) {
				return
			}
			list = list[end+2:]
		}
	}
}
