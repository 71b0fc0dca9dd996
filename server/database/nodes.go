package database

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
)

// nodeAnswersIn is how long a node may take to show that it answers.
const nodeAnswersIn = 2 * time.Second

// NodeError says which node of a cluster was left out, and why.
type NodeError struct {
	Node    string // host and port
	Tenants int    // whose rows are on it, of those that were asked for
	Err     error
}

func (e *NodeError) Error() string {
	return fmt.Sprintf("node %s: %d tenants are left out: %v", e.Node, e.Tenants, e.Err)
}

// Unwrap returns why.
func (e *NodeError) Unwrap() error { return e.Err }

// LeftOut returns which nodes an error of EachNode is of: none for nil, and for another error, after which f may have had nothing.
func LeftOut(err error) (nodes []*NodeError) {
	all, _ := err.(interface{ Unwrap() []error })
	if all == nil {
		return nil
	}
	for _, err := range all.Unwrap() {
		if n, is := errors.AsType[*NodeError](err); is {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// EachNode calls f with those of the tenants whose rows are on one node of a Citus cluster, node by node, and with all of them
// where the database is no cluster; with none it does not call f. A node that does not answer, or fails in f, keeps f from no
// other: the error then joins a NodeError for each of them.
func (db *DB) EachNode(ctx context.Context, tenants []auth.Tenant, f func(tenants []auth.Tenant) error) error {
	nodes, err := db.nodes(ctx, tenants)
	if err != nil {
		return fmt.Errorf("nodes of the tenants: %w", err)
	}
	db.ping(ctx, nodes)
	var errs []error
	for _, n := range nodes {
		if n.err == nil {
			n.err = f(n.tenants)
		}
		switch {
		case n.err == nil:
		case ctx.Err() != nil || n.name == "":
			return n.err
		default:
			errs = append(errs, &NodeError{n.name, len(n.tenants), n.err})
		}
	}
	return errors.Join(errs...)
}

// node is a node of a cluster; its name is empty where the database is none.
type node struct {
	name    string
	tenants []auth.Tenant
	err     error
}

// nodes returns the nodes by name, each with its tenants by number.
func (db *DB) nodes(ctx context.Context, tenants []auth.Tenant) ([]*node, error) {
	if len(tenants) == 0 {
		return nil, nil
	}
	citus, err := db.hasCitus(ctx)
	if err == nil && citus {
		err = db.NewRaw(`SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('versions') AND partmethod = 'h')`).Scan(ctx, &citus)
	}
	if err != nil || !citus {
		return []*node{{tenants: tenants}}, err
	}
	var placed []struct {
		Name   string
		Tenant auth.Tenant
	}
	err = db.NewRaw(`
		SELECT coalesce(min(n.nodename || ':' || n.nodeport), '') AS name, t.tenant
		  FROM unnest(ARRAY[?]::bigint[]) AS t (tenant)
		  LEFT JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('versions', t.tenant)
		  LEFT JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
		 GROUP BY t.tenant
		 ORDER BY 1, 2`, bun.List(tenants)).Scan(ctx, &placed)
	var list []*node
	for _, p := range placed {
		if len(list) == 0 || list[len(list)-1].name != p.Name {
			list = append(list, &node{name: p.Name})
		}
		last := list[len(list)-1]
		last.tenants = append(last.tenants, p.Tenant)
	}
	return list, err
}

// ping asks each node of a cluster for one row, all at once, and notes which does not answer.
func (db *DB) ping(ctx context.Context, nodes []*node) {
	ctx, cancel := context.WithTimeout(ctx, nodeAnswersIn)
	defer cancel()
	var wg sync.WaitGroup
	for _, n := range nodes {
		if n.name != "" {
			wg.Go(func() {
				_, n.err = db.ExecContext(ctx, `SELECT 1 FROM versions WHERE tenant_id = ?`, n.tenants[0])
			})
		}
	}
	wg.Wait()
}
