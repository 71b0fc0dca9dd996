package auth

// Tenant is the number of a tenant, a partner or a library network, from 1 (G3). It leads the key of every row that the
// tenant owns (G4). The zero Tenant is none.
type Tenant int64

// API names one of the three APIs. A key belongs to exactly one (G3).
type API string

// The three APIs.
const (
	Directory API = "directory" // the partner directory; its keys belong to a partner
	Schools   API = "schools"   // schools reading; its keys belong to one network of a partner
	Libraries API = "libraries" // libraries reporting; its keys belong to a library network
)

// Valid reports whether a is one of the three APIs.
func (a API) Valid() bool {
	return a == Directory || a == Schools || a == Libraries
}
