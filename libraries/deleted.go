package libraries

import "github.com/lectern-dev/lectern/reading/calendar"

// deleted counts the readers whose accounts are gone since the history began (L12).
func (r *Readers) deleted(history, now calendar.Date) DeletedUsers {
	var d DeletedUsers
	since := calendar.Period{Start: history, End: now}
	days := make([]int64, since.Days())
	for _, g := range r.gone {
		if !r.statuses[g.rank].CountsAsDeleted(g.day, history) {
			continue
		}
		d.Total++
		if r.statuses[g.rank] == ReaderDeactivated && r.loans[g.rank] > 0 {
			d.WithLoans++
		}
		if since.Contains(g.day) {
			days[g.day-history]++
		}
	}
	last := LastDays(now)
	for day := last.Start; day <= last.End; day++ {
		n := int64(0)
		if since.Contains(day) {
			n = days[day-history]
		}
		d.Daily = append(d.Daily, DayCount{day, n})
		d.Last30Days += n
	}
	for _, month := range Months(since, history, now) {
		n := int64(0)
		for day := month.Start; day <= month.End; day++ {
			n += days[day-history]
		}
		d.Monthly = append(d.Monthly, MonthCount{month.Start, n})
	}
	return d
}
