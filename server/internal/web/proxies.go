package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses of those whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// Client returns the address that a request came from: the connection's, or where that is a proxy's, the right-most of
// X-Forwarded-For that is not. What stands further left the client may have written itself. An entry that is no address ends
// the way back: the proxy that wrote it is named then.
func (p Proxies) Client(r *http.Request) string {
	client, ok := parseHop(r.RemoteAddr)
	if !ok {
		return ""
	}
	if !p.trusts(client) {
		return client.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !p.trusts(client) {
			break
		}
		next, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			break
		}
		client = next
	}
	return client.String()
}

func (p Proxies) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// parseHop reads an address, with a port or without.
func parseHop(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		a = withPort.Addr()
	}
	return a.Unmap().WithZone(""), true
}
