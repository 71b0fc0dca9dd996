package server

import (
	"fmt"
	"net/netip"
	"strings"
)

// Proxies are the networks of the proxies in front, whose X-Forwarded-For says who the client is. Their text is a list of
// addresses and CIDRs, such as 10.0.0.0/8,::1.
type Proxies []netip.Prefix

// String returns the text of the list.
func (p Proxies) String() string {
	texts := make([]string, len(p))
	for i, prefix := range p {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ",")
}

// UnmarshalText reads the text of a list; an empty one is none.
func (p *Proxies) UnmarshalText(text []byte) error {
	read := Proxies{}
	for _, entry := range strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := parseProxy(entry)
		if err != nil {
			return fmt.Errorf("trusted proxy %q: give addresses and networks with commas between them, such as 10.0.0.0/8,::1", entry)
		}
		read = append(read, prefix)
	}
	*p = read
	return nil
}

func parseProxy(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		prefix, err := netip.ParsePrefix(text)
		return prefix.Masked(), err
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("address %q", text)
	}
	a = a.Unmap()
	return netip.PrefixFrom(a, a.BitLen()), nil
}
