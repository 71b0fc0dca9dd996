package status

import (
	"context"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
)

// Named is a word that names something, and what it names.
type Named struct{ Word, Help string }

// Named returns what the flag or the argument of a name can be: a partner, a library or, of the partner with a reference, a
// network, or else the id of a key that is live, as key-id of one of the directory.
func (r *Reader) Named(ctx context.Context, what, partner string) (list []Named, err error) {
	switch what {
	case "partner", "library":
		tenants, err := r.Store.Tenants(ctx)
		for _, t := range tenants {
			if string(t.Kind) == what {
				list = append(list, Named{t.Reference, t.Name})
			}
		}
		return list, err
	case "network":
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
		if k.State != Live || what == "key-id" && k.API != auth.Directory {
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
