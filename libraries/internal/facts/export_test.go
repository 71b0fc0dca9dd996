package facts

// Len returns the number of events.
func (s *EventSet) Len() int { return len(s.ids) + len(s.recent) }
