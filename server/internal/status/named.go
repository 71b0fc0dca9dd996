package status

import (
	"context"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
)

// Sort is a sort of things that have names.
type Sort int

// The sorts that a person can be helped to name.
const (
	Partners      Sort = iota + 1
	Libraries          // networks
	Networks           // of one partner
	LiveKeys           // of all APIs
	DirectoryKeys      // those of LiveKeys that are of the directory
)

// Named is a word that names something, and what it names.
type Named struct{ Word, Help string }

// Named returns what there is of a sort; partner is the reference of the one whose networks are asked for.
func (r *Reader) Named(ctx context.Context, sort Sort, partner string) (list []Named, err error) {
	switch sort {
	case Partners, Libraries:
		tenants, err := r.Store.Tenants(ctx)
		for _, t := range tenants {
			if (t.Kind == authdb.Partner) == (sort == Partners) {
				list = append(list, Named{t.Reference, t.Name})
			}
		}
		return list, err
	case Networks:
		p, err := r.Store.Tenant(ctx, authdb.Partner, partner)
		if err != nil {
			return nil, err
		}
		entities, err := directorydb.Entities(ctx, r.Store.DB, directory.PartnerID(p.ID))
		for _, e := range entities {
			if e.Type == directory.Network && !e.Deleted {
				list = append(list, Named{string(e.Ref), e.Name})
			}
		}
		return list, err
	}
	keys, err := r.Keys(ctx)
	for _, k := range keys {
		if k.State != Live || sort == DirectoryKeys && k.API != auth.Directory {
			continue
		}
		of := string(k.API) + " of " + k.Tenant
		if k.Network != nil {
			of += ", " + *k.Network
		}
		list = append(list, Named{k.ID, of})
	}
	return list, err
}
