package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
)

// Dimensions answers dimensions. Its lists are shared and must not be changed.
func (r *Reports) Dimensions(ctx context.Context, a Access) (*Dimensions, error) {
	return state.Load(ctx, r.Cache, key(a, "dimensions"), func(ctx context.Context) (*Dimensions, error) {
		var titles *Catalogue
		var readers *Readers
		err := state.Together(
			func() (err error) { titles, err = r.catalogue(ctx, a); return err },
			func() (err error) { readers, err = r.readers(ctx, a); return err },
		)
		if err != nil {
			return nil, err
		}
		d := newDimensions(titles, readers)
		d.Hour = a.Hour
		return d, nil
	})
}

// newDimensions lists the terms, what is present on readers, and the years that titles have (L16).
func newDimensions(titles *Catalogue, readers *Readers) *Dimensions {
	d := &Dimensions{
		Terms: map[libraries.Vocabulary][]libraries.Term{}, RAs: byFold(readers.ras), States: byFold(readers.states.values),
		Cities: byFold(readers.cities.values),
	}
	for v, terms := range titles.Terms {
		d.Terms[v] = termsByName(terms)
	}
	for i := range titles.Titles {
		if year := titles.Titles[i].Book.Year; year != libraries.None {
			d.PublicationYears = append(d.PublicationYears, year)
		}
	}
	slices.Sort(d.PublicationYears)
	d.PublicationYears = slices.Clip(slices.Compact(d.PublicationYears))
	return d
}

// Bytes returns about the memory that the dimensions hold; the texts are others'.
func (d *Dimensions) Bytes() int {
	n := 16 * (len(d.RAs) + len(d.States) + len(d.Cities))
	for _, terms := range d.Terms {
		n += 24 * len(terms)
	}
	return n + 8*len(d.PublicationYears)
}

// termsByName returns terms by folded name, then identifier.
func termsByName(terms []libraries.Term) []libraries.Term {
	folded := make(map[int64]string, len(terms))
	for _, t := range terms {
		folded[t.ID] = libraries.Fold(t.Name)
	}
	terms = slices.Clone(terms)
	slices.SortFunc(terms, func(a, b libraries.Term) int {
		return cmp.Or(cmp.Compare(folded[a.ID], folded[b.ID]), cmp.Compare(a.ID, b.ID))
	})
	return terms
}

// byFold returns texts by their folds, then bytewise, without the empty one.
func byFold(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
	folded := make(map[string]string, len(texts))
	for _, s := range texts {
		folded[s] = libraries.Fold(s)
	}
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(folded[a], folded[b]), cmp.Compare(a, b))
	})
	return texts
}
