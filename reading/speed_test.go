package reading_test

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/reading"
)

func TestSpeedRecorded(t *testing.T) {
	zero, err := reading.ParseSpeed("0")
	if err != nil || !zero.Recorded() {
		t.Errorf("ParseSpeed(0) = %v, %v, want a recorded speed", zero, err)
	}
	if !reading.WordsPerMinute(0).Recorded() || zero != reading.WordsPerMinute(0) {
		t.Error("WordsPerMinute(0) is not the recorded speed 0")
	}
	if (reading.Speed{}).Recorded() {
		t.Error("the zero Speed is recorded")
	}
}

func TestParseSpeed(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
	}{
		{"0", 0}, {"-0", 0}, {"-0.0", 0}, {"-0e5", 0}, {"0.000", 0}, {"0e99999999999999999999", 0},
		{"5", 5}, {"250", 250}, {"250.0", 250}, {"8e2", 800}, {"0.8E+3", 800}, {"80000e-2", 800}, {"0.0008e6", 800}, {"8E02", 800},
		{"800." + strings.Repeat("0", 120), 800},
		{"0.00000000000000000000000000000000000000000000000000000000005e59", 5},
		{"50000000000000000000000000000000000000000000000000000000000e-58", 5},
		{"399999999999", 399_999_999_999},
		{"400000000000", 400_000_000_000}, {"400000000000.5", math.MaxInt64}, {"400000000000.0000001", math.MaxInt64},
		{"400000000001", math.MaxInt64},
		{"9e99999999999999999999999999999999999999", math.MaxInt64}, {"1e18", math.MaxInt64},
	} {
		got, err := reading.ParseSpeed(test.text)
		if want := reading.WordsPerMinute(test.want); got != want || err != nil {
			t.Errorf("ParseSpeed(%q) = %v, %v, want %v", test.text, got, err, want)
		}
	}
}

func TestParseSpeedDistinguishes(t *testing.T) {
	for _, test := range [][2]string{
		{"5", "5.000001"}, {"5", "5.0000001"}, {"5.000001", "5.0000011"}, {"0", "1e-30"}, {"399999999999", "400000000000"}, {"4.9", "5"},
	} {
		a, errA := reading.ParseSpeed(test[0])
		b, errB := reading.ParseSpeed(test[1])
		if a == b || errA != nil || errB != nil {
			t.Errorf("ParseSpeed(%q), (%q) = %v, %v, want two different speeds", test[0], test[1], a, b)
		}
	}
}

func TestParseSpeedErrors(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{"-1", reading.ErrNegativeSpeed}, {"-0.0000000001", reading.ErrNegativeSpeed}, {"-1e-99999999", reading.ErrNegativeSpeed},
		{"-5e300", reading.ErrNegativeSpeed},
		{"", reading.ErrSpeed}, {"-", reading.ErrSpeed}, {".", reading.ErrSpeed}, {".5", reading.ErrSpeed}, {"5.", reading.ErrSpeed},
		{"+5", reading.ErrSpeed}, {"05", reading.ErrSpeed}, {"00", reading.ErrSpeed}, {"-05", reading.ErrSpeed}, {"--5", reading.ErrSpeed},
		{"5e", reading.ErrSpeed}, {"5e+", reading.ErrSpeed}, {"5e1.5", reading.ErrSpeed}, {"5ee1", reading.ErrSpeed}, {"5e1e1", reading.ErrSpeed},
		{"5.e1", reading.ErrSpeed}, {"5.5.5", reading.ErrSpeed}, {"e5", reading.ErrSpeed},
		{" 5", reading.ErrSpeed}, {"5 ", reading.ErrSpeed}, {"5,5", reading.ErrSpeed}, {"1_000", reading.ErrSpeed}, {"0x10", reading.ErrSpeed},
		{"NaN", reading.ErrSpeed}, {"Infinity", reading.ErrSpeed}, {"null", reading.ErrSpeed}, {"٥", reading.ErrSpeed}, {`"5"`, reading.ErrSpeed},
	} {
		if got, err := reading.ParseSpeed(test.text); !errors.Is(err, test.want) || got.Recorded() {
			t.Errorf("ParseSpeed(%q) = %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestParseSpeedAllocatesNothing(t *testing.T) {
	text := []byte("123.456e-1")
	if n := testing.AllocsPerRun(100, func() { _, _ = reading.ParseSpeed(text) }); n != 0 {
		t.Errorf("ParseSpeed of bytes allocates %v times, want 0", n)
	}
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?([0-9]+))?$`)

// FuzzParseSpeed checks that every number that is not negative is accepted, and is effective exactly if its fraction
// is.
func FuzzParseSpeed(f *testing.F) {
	for _, s := range []string{"5", "4.9999999999", "800.0000000001", "8e2", "0.8E+3", "-0", "-1", "1e-60", "5e-", "", "NaN", "9e999999999"} {
		f.Add(s)
	}
	five, eightHundred := big.NewRat(5, 1), big.NewRat(800, 1)
	f.Fuzz(func(t *testing.T, text string) {
		speed, err := reading.ParseSpeed(text)
		if bytesSpeed, bytesErr := reading.ParseSpeed([]byte(text)); bytesSpeed != speed || !errors.Is(bytesErr, err) {
			t.Fatalf("ParseSpeed(%q) = %v, %v, but of bytes %v, %v", text, speed, err, bytesSpeed, bytesErr)
		}
		m := number.FindStringSubmatch(text)
		if m == nil {
			if !errors.Is(err, reading.ErrSpeed) {
				t.Fatalf("ParseSpeed(%q) = %v, %v, want ErrSpeed", text, speed, err)
			}
			return
		}
		if len(strings.TrimLeft(m[4], "0")) > 3 {
			return // fractions would be slow
		}
		x, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("big.Rat refuses %q", text)
		}
		if x.Sign() < 0 {
			if !errors.Is(err, reading.ErrNegativeSpeed) {
				t.Fatalf("ParseSpeed(%q) = %v, %v, want ErrNegativeSpeed", text, speed, err)
			}
			return
		}
		if err != nil || !speed.Recorded() {
			t.Fatalf("ParseSpeed(%q) = %v, %v, want a recorded speed", text, speed, err)
		}
		want := x.Cmp(five) >= 0 && x.Cmp(eightHundred) <= 0
		if got := reading.Effective(speed, 0); got != want {
			t.Errorf("Effective(%q) = %v, want %v", text, got, want)
		}
	})
}

func TestSpeedShows(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "62.5": "62.5", "250": "250", "8e2": "800", "4.000001": "4.000001", "4.9999999999": "4.999999…", "800.0000000001": "800.000000…",
	} {
		if got, err := reading.ParseSpeed(text); got.String() != want || err != nil {
			t.Errorf("ParseSpeed(%s) = %v, %v, want %s", text, got, err, want)
		}
	}
	if got := (reading.Speed{}).String(); got != "none" {
		t.Errorf("String of the zero Speed = %s, want none", got)
	}
}
