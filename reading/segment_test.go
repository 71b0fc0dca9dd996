package reading_test

import (
	"testing"

	"github.com/lectern-dev/lectern/reading"
)

func TestEffective(t *testing.T) {
	for _, test := range []struct {
		rule, speed string // an empty speed is not recorded
		ms          int64
		want        bool
	}{
		{"5 words per minute", "5", 1000, true},
		{"just below 5", "4.999999", 1000, false},
		{"below 5 by more decimals than are stored", "4.9999999999", 1000, false},
		{"just above 5", "5.0000000001", 1000, true},
		{"5 with an exponent", "0.5e1", 1000, true},
		{"800 words per minute", "800", 1000, true},
		{"800 with decimals", "800.000", 1000, true},
		{"800 with an exponent", "8e2", 1000, true},
		{"just below 800", "799.9999999999", 1000, true},
		{"just above 800", "800.000001", 1000, false},
		{"above 800 by more decimals than are stored", "800.0000000001", 1000, false},
		{"a recorded 0 is a recorded speed", "0", 60_000, false},
		{"a recorded -0 is a recorded 0", "-0", 60_000, false},
		{"a speed below the smallest stored decimal is recorded", "1e-60", 60_000, false},
		{"a recorded speed needs no duration", "250", 0, true},
		{"a recorded speed and a negative duration", "250", -1, false},
		{"no recorded speed and a negative duration", "", -3_000, false},
		{"a recorded speed just below 3 seconds", "250", 2_999, true},
		{"too fast, however long", "801", 60_000, false},
		{"no recorded speed: 3 seconds", "", 3_000, true},
		{"no recorded speed: just below 3 seconds", "", 2_999, false},
		{"no recorded speed: just above 3 seconds", "", 3_001, true},
		{"no recorded speed and no duration", "", 0, false},
	} {
		var speed reading.Speed
		if test.speed != "" {
			var err error
			if speed, err = reading.ParseSpeed(test.speed); err != nil {
				t.Errorf("ParseSpeed(%q): %v", test.speed, err)
			}
		}
		if got := reading.Effective(speed, test.ms); got != test.want {
			t.Errorf("%s: Effective(%q, %d) = %v, want %v", test.rule, test.speed, test.ms, got, test.want)
		}
		if got := (reading.Segment{DurationMS: test.ms, Speed: speed}).Effective(); got != test.want {
			t.Errorf("%s: Segment{%q, %d ms}.Effective() = %v, want %v", test.rule, test.speed, test.ms, got, test.want)
		}
	}
}

func TestEffectiveWordsPerMinute(t *testing.T) {
	for _, test := range []struct {
		n    int64
		want bool
	}{{-1, false}, {0, false}, {4, false}, {5, true}, {6, true}, {799, true}, {800, true}, {801, false}, {1 << 62, false}} {
		if got := reading.Effective(reading.WordsPerMinute(test.n), 60_000); got != test.want {
			t.Errorf("Effective(%d words per minute) = %v, want %v", test.n, got, test.want)
		}
	}
}
