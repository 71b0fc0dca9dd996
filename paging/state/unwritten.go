package state

import "context"

// Unwritten is a Writer that builds on the state of a load's number and forgets what it is given: for who only wants to know
// what a load would do.
func Unwritten(b Blocks, t Tenant, base int64) Writer { return unwritten{b, t, base} }

type unwritten struct {
	Blocks
	tenant Tenant
	base   int64
}

func (u unwritten) Tenant() Tenant                         { return u.tenant }
func (u unwritten) Base() int64                            { return u.base }
func (u unwritten) Write(context.Context, ...Change) error { return nil }
