package librariesdb

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// The sizes of a large network. There are fewer loans than a million readers make, so that it is soon filled.
const (
	benchReaders = 1_000_000
	benchBooks   = 20_000
	benchLines   = 30_000
	benchLoans   = 300_000
	benchDays    = 30
	benchPage    = 1000
)

func BenchmarkSQLite(b *testing.B)   { benchmark(b, dbtest.SQLite(b)) }
func BenchmarkPostgres(b *testing.B) { benchmark(b, dbtest.Postgres(b)) }

// benchmark times the reads of a report.
func benchmark(b *testing.B, db *database.DB) {
	f := newFixture(b, db)
	f.large()
	if db.Engine == database.Postgres {
		f.exec(`ANALYZE`) // as the server does by itself after a load
	}
	run := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	ctx := b.Context()
	run("Catalogue", func() error { _, err := f.Catalogue(ctx, f.a); return err })
	run("Readers", func() error { _, err := reports(f).Readers(ctx, f.a); return err })
	window := report.Window{Period: calendar.Period{Start: firstDay + 7, End: firstDay + 7}, Skip: benchPage, Size: benchPage}
	run("LoansIn", func() error { _, err := f.LoansIn(ctx, f.a, window); return err })
	run("MarksOfReader", func() error { _, err := f.PositionsOf(ctx, f.a, report.LoanRegister, ptr[int64](5), nil); return err })
	run("MarksOfTitle", func() error { _, err := f.PositionsOf(ctx, f.a, report.LoanRegister, nil, ptr[int64](0)); return err })
	loans := benchList()
	for name, picked := range map[string]func(i int, l libraries.Loan) bool{
		"LoansSideBySide": func(i int, _ libraries.Loan) bool { return i < benchPage },
		"LoansReturned":   func(_ int, l libraries.Loan) bool { return l.Status == libraries.LoanReturned },
		"LoansFarApart":   func(i int, _ libraries.Loan) bool { return i%(benchLoans/benchPage) == 0 },
	} {
		_, marks := pick(loans, picked)
		marks = marks[:benchPage]
		run(name, func() error { _, err := f.Loans(ctx, f.a, marks); return err })
	}
	var far, near []int64
	for i := range int64(benchPage) {
		far, near = append(far, i*(benchReaders/10/benchPage)), append(near, i+500)
	}
	run("PeopleSideBySide", func() error { _, err := f.People(ctx, f.a, near); return err })
	run("PeopleFarApart", func() error { _, err := f.People(ctx, f.a, far); return err })
	run("ShelvesFarApart", func() error {
		_, err := f.blocks(ctx, f.a, facts.ReaderTitlesKind, state.Range{Among: far})
		return err
	})
}

// benchList are the loans of the benchmark, by day, then identifier. One in twenty is of title 0, two in three are returned.
func benchList() []libraries.Loan {
	r := rand.New(rand.NewPCG(5, 6))
	loans := make([]libraries.Loan, benchLoans)
	for i := range loans {
		l := &loans[i]
		at := (firstDay + calendar.Date(i*benchDays/benchLoans)).Start().Add(time.Duration(r.IntN(86400)) * time.Second)
		*l = libraries.Loan{ID: int64(i), Reader: r.Int64N(benchReaders), Borrowed: at, Status: libraries.LoanActive}
		if r.IntN(20) > 0 {
			l.Book = r.Int64N(benchBooks)
		}
		if r.IntN(3) > 0 {
			l.Status, l.Returned = libraries.LoanReturned, at.Add(time.Hour)
		}
	}
	return loans
}

// large fills the network. Loans are written by their readers, not in their order, as a load of many days does.
func (f *fixture) large() {
	f.Helper()
	terms := make([][]any, 0, 500)
	for id := range int64(500) {
		terms = append(terms, intake.Terms.Values(intake.Term{Vocabulary: libraries.CategoryTerms, Term: libraries.Term{ID: id, Name: fmt.Sprint("Categoria ", id)}}))
	}
	f.put(f.a.Network, intake.Terms.Table, terms...)
	books := make([]libraries.Book, benchBooks)
	for i := range books {
		books[i] = libraries.Book{
			ID: int64(i), Title: fmt.Sprint("Memórias póstumas de Brás Cubas ", i), ISBN: fmt.Sprint(9788500000000 + i), Author: "Machado de Assis",
			Publisher: int64(i % 300), Categories: []int64{int64(i % 500), 600}, Subjects: []int64{1, 2, int64(3 + i%90)}, HasEbook: true, Year: 1881,
		}
	}
	putAll(f, intake.Books, books)
	lines := make([]stock.BookLine, benchLines)
	for i := range lines {
		lines[i] = stock.BookLine{Book: int64(i % benchBooks), Line: stock.Line{
			ID: int64(i), Collection: stock.Additional, Kind: stock.PurchaseLine, Number: int64(i), Modality: ptr("perpétua"),
			Copies: ptr[int64](3), UnitPrice: 2990, TotalPrice: 8970, PurchasedAt: firstDay, ExpiresAt: ptr(firstDay + 365),
		}}
	}
	putAll(f, intake.Lines, lines)
	f.largeReaders()
	loans := benchList()
	slices.SortStableFunc(loans, func(a, b libraries.Loan) int {
		return cmp.Compare(a.Reader/facts.BlockReaders, b.Reader/facts.BlockReaders)
	})
	putAll(f, intake.Loans, loans)
}

// largeReaders puts the attributes of all readers, and the rows and readers' titles of one in ten.
func (f *fixture) largeReaders() {
	f.Helper()
	var people [][]any
	var blocks, shelves []state.Block
	block := make([]facts.Attributes, 0, facts.BlockReaders)
	for id := range int64(benchReaders) {
		r := libraries.Reader{
			ID: id, Name: fmt.Sprint("Maria Aparecida de Souza ", id), Email: fmt.Sprint("leitor", id, "@rede.example"),
			Library: id % 90, AgeGroup: id % 7, City: fmt.Sprint("Cidade ", id%600), State: "SP", RA: "Centro", Gender: libraries.Female,
			Registered: firstDay - calendar.Date(id%900), Status: libraries.ReaderActive, Updated: full,
		}
		if block = append(block, facts.AttributesOf(r)); len(block) == facts.BlockReaders || id == benchReaders-1 {
			blocks = append(blocks, blockOf(facts.Block(id), packed.Append(nil, facts.PackAttributes(block))))
			block = block[:0]
		}
		if id < benchReaders/10 {
			people = append(people, intake.Readers.Values(r))
			shelves = append(shelves, blockOf(id, make([]byte, 120)))
		}
	}
	f.putBlocks(f.a.Network, facts.AttributesKind, blocks...)
	f.put(f.a.Network, intake.Readers.Table, people...)
	f.putBlocks(f.a.Network, facts.ReaderTitlesKind, shelves...)
}
