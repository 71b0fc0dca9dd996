package analytics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// row is one element of an answer. Other members are ignored, even `estimated`, which the channel decides (L13).
type row struct {
	Date     string `json:"date"`
	Channel  string `json:"channel"`
	Sessions *int64 `json:"sessions"`
}

// maxSessions is the largest number that every JSON client keeps exactly.
const maxSessions = 1<<53 - 1

// parse validates an answer for a period and returns its rows by day, then channel.
func parse(data []byte, period calendar.Period) ([]libraries.ChannelDay, error) {
	var elements []row
	if err := json.Unmarshal(data, &elements); err != nil {
		return nil, err
	}
	if elements == nil {
		return nil, errors.New("the answer is no array")
	}
	rows := make([]libraries.ChannelDay, len(elements))
	for i, e := range elements {
		var err error
		if rows[i], err = e.check(period); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	slices.SortFunc(rows, compare)
	for i := 1; i < len(rows); i++ {
		if compare(rows[i-1], rows[i]) == 0 {
			return nil, fmt.Errorf("two rows for %v, %v", rows[i].Day, rows[i].Channel)
		}
	}
	return rows, nil
}

func compare(a, b libraries.ChannelDay) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Channel, b.Channel))
}

// check validates an element and returns it as a row.
func (e row) check(period calendar.Period) (libraries.ChannelDay, error) {
	day, err := calendar.Parse(e.Date)
	if err != nil {
		return libraries.ChannelDay{}, fmt.Errorf("date: %w", err)
	}
	channel, known := libraries.ParseChannel(e.Channel)
	switch {
	case !period.Contains(day):
		return libraries.ChannelDay{}, fmt.Errorf("date: %v is not in the period", day)
	case !known:
		return libraries.ChannelDay{}, fmt.Errorf("channel: %.40q is none", e.Channel)
	case e.Sessions == nil || *e.Sessions < 0 || *e.Sessions > maxSessions:
		return libraries.ChannelDay{}, errors.New("sessions: must be an integer, not below 0")
	}
	return libraries.ChannelDay{Day: day, Channel: channel, Sessions: *e.Sessions, Estimated: channel.Estimated()}, nil
}

// stored encodes rows as parse reads them.
func stored(rows []libraries.ChannelDay) []byte {
	elements := make([]row, len(rows))
	for i, r := range rows {
		elements[i] = row{r.Day.String(), r.Channel.String(), &r.Sessions}
	}
	data, err := json.Marshal(elements)
	if err != nil {
		panic(err) // they are numbers and plain texts
	}
	return data
}
