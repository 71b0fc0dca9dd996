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

// nodeAnswersIn is the time limit for a node's answer.
const nodeAnswersIn = 2 * time.Second

// NodeError is the error for a node of a cluster that was left out.
type NodeError struct {
	Node    string // host and port
	Tenants int    // the number of the wanted tenants whose rows are on it
	Err     error
}

func (e *NodeError) Error() string {
	return fmt.Sprintf("node %s: %d tenants are left out: %v", e.Node, e.Tenants, e.Err)
}

// Unwrap returns the cause.
func (e *NodeError) Unwrap() error { return e.Err }

// LeftOut returns the nodes that an error of EachNode names. It returns none for another error, after which f may not
// have been called.
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

// EachNode calls f for each node of a Citus cluster with those of the tenants whose rows are on it. Without a cluster
// it calls f once with all tenants. It does not call f without tenants. If a node does not answer, or f fails for it,
// EachNode goes on with the others and joins a NodeError for each such node.
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

// node is a node of a cluster. Its name is empty if the database is not part of a cluster.
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
