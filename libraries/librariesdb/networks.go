package librariesdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// Network is a library network that the operator created.
type Network struct {
	ID   libraries.NetworkID
	Slug string
	Name string
}

var (
	// ErrSlug is the error for a text that cannot be a network's slug.
	ErrSlug = errors.New("give 1 to 63 characters a-z, 0-9 and -, with no - at either end")
	// ErrName is the error for a text that cannot be a network's name.
	ErrName = errors.New("give 1 to 255 characters, not all of them spaces, without control characters")
	// ErrNotFound is the error for an unknown library network.
	ErrNotFound = errors.New("no such library network")
)

const (
	slugLimit = 63 // as for a label of a domain name
	nameLimit = 255
)

// CheckSlug returns ErrSlug for a text that cannot be a network's slug.
func CheckSlug(slug string) error {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	if slug == "" || len(slug) > slugLimit || strings.Trim(slug, letters) != "" || slug[0] == '-' || slug[len(slug)-1] == '-' {
		return ErrSlug
	}
	return nil
}

// checkName returns ErrName for a text that cannot be a network's name.
func checkName(name string) error {
	n := utf8.RuneCountInString(name)
	if !utf8.ValidString(name) || n > nameLimit || strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return ErrName
	}
	return nil
}

// CreateNetwork adds a library network, in a transaction of its own or as part of the caller's, and returns its
// number. The error is snapshotdb.ErrExist if a network has that slug, and ErrSlug or ErrName if the slug or name is
// invalid.
func CreateNetwork(ctx context.Context, idb bun.IDB, slug, name string) (libraries.NetworkID, error) {
	if err := CheckSlug(slug); err != nil {
		return 0, fmt.Errorf("library network %q: slug: %w", slug, err)
	}
	if err := checkName(name); err != nil {
		return 0, fmt.Errorf("library network %q: name: %w", slug, err)
	}
	var id libraries.NetworkID
	err := idb.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tenant, err := snapshotdb.CreateTenant(ctx, tx, snapshotdb.Tenant{Kind: snapshotdb.Library, Reference: slug, Name: name})
		id = libraries.NetworkID(tenant)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("create library network: %w", err)
	}
	return id, nil
}

// NetworkOf returns the network with a number, or ErrNotFound, also if the number belongs to a partner.
func NetworkOf(ctx context.Context, idb bun.IDB, id libraries.NetworkID) (Network, error) {
	n := Network{ID: id}
	err := idb.QueryRowContext(ctx, `SELECT reference, name FROM tenants WHERE tenant_id = ? AND kind = ?`, id, snapshotdb.Library).Scan(&n.Slug, &n.Name)
	if err != nil {
		return Network{}, fmt.Errorf("library network %d: %w", id, notFound(err))
	}
	return n, nil
}

// notFound replaces sql.ErrNoRows by ErrNotFound.
func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}
