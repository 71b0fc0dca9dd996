package librariesdb

import "context"

// write writes a part, but for what it sets aside, and counts.
func (l *load) write(ctx context.Context, p *part) error {
	l.saved.count(p.saved)
	if err := l.setAside(p.aside); err != nil {
		return err
	}
	l.changes.add(p.holdings.list())
	if err := l.forgetOld(ctx, p); err != nil {
		return err
	}
	if err := put(ctx, l, readersTable, p.readers, readerValues); err != nil {
		return err
	}
	if err := put(ctx, l, attributesTable, p.attributes, blobValues); err != nil {
		return err
	}
	if err := put(ctx, l, shelvesTable, p.shelves, blobValues); err != nil {
		return err
	}
	if err := put(ctx, l, seenTable, p.seen, groupedBlobValues); err != nil {
		return err
	}
	l.step()
	return nil
}

// forgetOld deletes the rows that the part's rows replace.
func (l *load) forgetOld(ctx context.Context, p *part) error {
	for _, old := range []struct {
		table table
		keys  []key
	}{
		{readersTable, p.oldReaders},
		{attributesTable, p.oldBlocks},
		{shelvesTable, p.oldShelves},
		{seenTable, p.oldSeen},
	} {
		if err := l.forget(ctx, old.table, old.keys); err != nil {
			return err
		}
	}
	return nil
}
