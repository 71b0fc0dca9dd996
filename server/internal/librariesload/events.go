package librariesload

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

// events reads the files of events onto the pile.
func (l *load) events(ctx context.Context) error {
	t := l.totals
	if err := events(ctx, l, "renewals", renewalFields, l.renewal, l.pile.AddEvent, &t.Renewals); err != nil {
		return err
	}
	if err := events(ctx, l, "sessions", sessionFields, l.session, l.pile.AddEvent, &t.Sessions); err != nil {
		return err
	}
	if err := events(ctx, l, "previews", previewFields, l.preview, l.pile.AddEvent, &t.Previews); err != nil {
		return err
	}
	if err := events(ctx, l, "activity", activityFields, l.activity, l.pile.AddEvent, &t.Activity); err != nil {
		return err
	}
	return events(ctx, l, "suggestions", suggestionFields, l.suggestion, l.pile.AddRequest, &t.Suggestions)
}

// outcome is what became of an event's row: an event, or that it is before the history.
type outcome[T any] struct {
	event T
	early bool
}

func events[T any](ctx context.Context, l *load, resource string, fields []feed.Field, parse func(*feed.Row) (T, error),
	add func(T) error, n *libraries.EventCounts) error {
	return rows(ctx, l, resource, fields, func(r *feed.Row, o *outcome[T]) {
		e, err := parse(r)
		if errors.Is(err, libraries.ErrBeforeHistory) {
			o.early = true
			return
		}
		fail(r, err, fields)
		o.event = e
	}, func(o *outcome[T], _ feed.Pos) error {
		if o.early {
			n.BeforeHistory++
			return nil
		}
		return add(o.event)
	}, &n.Rows, &n.Bad)
}

var renewalFields = []feed.Field{
	{Name: "renewalId", Required: true}, {Name: "loanId", Required: true}, {Name: "userId", Required: true}, {Name: "bookId", Required: true},
	{Name: "renewedAt", Required: true},
}

// renewal reads the loan's identifier for its form alone: a renewal is judged without its loan (G6).
func (l *load) renewal(r *feed.Row) (libraries.Event, error) {
	id, _, reader, book, at := r.ID(0), r.Int(1), r.Int(2), r.Int(3), r.Time(4)
	if r.Bad() {
		return libraries.Event{}, nil
	}
	return l.intake.Renewal(id, reader, book, at)
}

var sessionFields = []feed.Field{
	{Name: "sessionId", Required: true}, {Name: "userId", Required: true}, {Name: "bookId", Required: true}, {Name: "startedAt", Required: true},
	{Name: "seconds", Required: true}, {Name: "mode", Required: true}, {Name: "format", Required: true}, {Name: "progress", Required: true},
}

func (l *load) session(r *feed.Row) (libraries.Event, error) {
	row := libraries.SessionRow{
		ID: r.ID(0), Reader: r.Int(1), Book: r.Int(2), Start: r.Time(3), Seconds: r.Int(4), Mode: r.Bytes(5), Format: r.Bytes(6), Progress: r.Number(7),
	}
	if r.Bad() {
		return libraries.Event{}, nil
	}
	return l.intake.Session(row)
}

var previewFields = []feed.Field{
	{Name: "previewId", Required: true}, {Name: "userId", Required: true}, {Name: "bookId", Required: true}, {Name: "viewedAt", Required: true},
}

func (l *load) preview(r *feed.Row) (libraries.Event, error) {
	id, reader, book, at := r.ID(0), r.Int(1), r.Int(2), r.Time(3)
	if r.Bad() {
		return libraries.Event{}, nil
	}
	return l.intake.Preview(id, reader, book, at)
}

var activityFields = []feed.Field{{Name: "activityId", Required: true}, {Name: "userId", Required: true}, {Name: "at", Required: true}}

func (l *load) activity(r *feed.Row) (libraries.Event, error) {
	id, reader, at := r.ID(0), r.Int(1), r.Time(2)
	if r.Bad() {
		return libraries.Event{}, nil
	}
	return l.intake.Activity(id, reader, at)
}

var suggestionFields = []feed.Field{
	{Name: "requestId", Required: true}, {Name: "userId", Required: true}, {Name: "title"}, {Name: "author"}, {Name: "publisher"},
	{Name: "searchTerm"}, {Name: "availability", Required: true}, {Name: "requestedAt", Required: true},
}

func (l *load) suggestion(r *feed.Row) (libraries.Request, error) {
	request := libraries.Request{
		ID: r.Int(0), Reader: r.Int(1), Title: r.Text(2), Author: r.Text(3), Publisher: r.Text(4), SearchTerm: r.Text(5), Requested: r.Time(7),
	}
	availability := r.Text(6)
	if r.Bad() {
		return request, nil
	}
	return l.intake.Request(request, availability)
}
