// Package analytics asks an analytics tool for the sessions of a library network by channel of access: it is the
// report.ChannelSource behind `--analytics-url` (L13).
//
//	GET https://analytics.example/channels?library=rede-1&startDate=2026-08-01&endDate=2026-08-02
//
//	[{"date":"2026-08-01","channel":"web-desktop","sessions":120},{"date":"2026-08-01","channel":"app","sessions":31}]
//
// The rows of an answer may be in any order, and days without sessions may be absent; an estimate is what L13 calls one,
// whatever the tool says. An answer that is not whole and sound counts as none.
//
// A good answer is stored by network, clock hour and period, and served from there or from the cache until the next hour, on
// every replica and after a restart: the same query inside the hour gives the same rows (L1). Of two replicas that ask at
// once, the first to store its answer is right. A failure is not stored. Requests for one answer at once ask once.
package analytics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unsafe"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

const (
	// Timeout is how long the tool may take for a whole answer.
	Timeout = 3 * time.Second
	// MaxAnswer is how many bytes an answer may have: a row for each channel of more than nine years.
	MaxAnswer = 1 << 20

	// storeTimeout bounds the work on the store around the question, which no request's context does. It is short: an
	// embedded database that a load is writing to would hold up the answer until the load ends.
	storeTimeout = 2 * time.Second
)

// Store keeps answers; *librariesdb.Store is one.
type Store interface {
	// ChannelAnswer returns the answer to a question that is stored.
	ChannelAnswer(ctx context.Context, q report.ChannelQuestion) (data []byte, found bool, err error)
	// KeepChannelAnswer stores an answer, unless there is one already, and returns the one that is stored then.
	KeepChannelAnswer(ctx context.Context, q report.ChannelQuestion, data []byte) ([]byte, error)
}

// Source is a report.ChannelSource. It is safe for use by several goroutines; make one with New.
type Source struct {
	// Store, Cache and Slug must be set. Slug returns the slug by which the tool knows a network.
	Store Store
	Cache snapshot.Cache
	Slug  func(ctx context.Context, network libraries.NetworkID) (string, error)
	// Alone says that no other process serves the database. An answer that cannot be stored, since a load is writing to the
	// database, is then kept in the cache alone, instead of being refused.
	Alone bool
	// Failed, if not nil, is told once why there is no good answer. The error holds nothing of the URL.
	Failed func(error)
	// Now is the clock of the hours. Nil is time.Now.
	Now func() time.Time
	// Timeout is how long the tool may take. New sets the constant of that name.
	Timeout time.Duration

	url    url.URL
	client http.Client
}

var _ report.ChannelSource = (*Source)(nil)

// New returns a Source that asks at an absolute URL of http or https, whose own query is kept.
func New(address string) (*Source, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the analytics URL is malformed") // its text may hold a secret
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("the analytics URL must begin with http:// or https:// and a host")
	}
	u.Fragment, u.RawFragment = "", ""
	s := &Source{url: *u, Timeout: Timeout}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s, nil
}

// answer is a good one, as the cache keeps it.
type answer []libraries.ChannelDay

// Bytes implements snapshot.Value.
func (a answer) Bytes() int { return len(a) * int(unsafe.Sizeof(libraries.ChannelDay{})) }

// Channels returns the rows of a period by day, then channel. The error is report.ErrChannels where the tool gives no
// good answer, or it cannot be stored; another error is that of reading the database, or of ctx.
func (s *Source) Channels(ctx context.Context, a report.Access, period calendar.Period) ([]libraries.ChannelDay, error) {
	q := report.ChannelQuestion{Network: a.Network, Hour: libraries.HourOf(s.now()), Period: period}
	key := snapshot.Key{Tenant: auth.Tenant(a.Network), What: fmt.Sprint("analytics ", q.Hour, period.Start, period.End)}
	return snapshot.Load(ctx, s.Cache, key, func(ctx context.Context) (answer, error) {
		ctx, cancel := context.WithTimeout(ctx, s.Timeout+storeTimeout)
		defer cancel()
		data, found, err := s.Store.ChannelAnswer(ctx, q)
		if err == nil && !found {
			data, err = s.fresh(ctx, q)
		}
		if err != nil {
			return nil, err
		}
		return parse(data, period)
	})
}

// fresh asks for an answer and stores it. One that cannot be kept is not served: the next might be another.
func (s *Source) fresh(ctx context.Context, q report.ChannelQuestion) ([]byte, error) {
	slug, err := s.Slug(ctx, q.Network)
	if err != nil {
		return nil, err
	}
	rows, err := s.ask(ctx, slug, q.Period)
	var data []byte
	if err == nil {
		answer := stored(rows)
		data, err = s.Store.KeepChannelAnswer(ctx, q, answer)
		if err != nil && s.Alone {
			return answer, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("%w: library %s: %w", report.ErrChannels, slug, err)
		if s.Failed != nil {
			s.Failed(err)
		}
	}
	return data, err
}

// ask asks the tool.
func (s *Source) ask(ctx context.Context, slug string, period calendar.Period) ([]libraries.ChannelDay, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address(slug, period), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "lectern")
	res, err := s.client.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New("status " + strconv.Itoa(res.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > MaxAnswer {
		return nil, fmt.Errorf("an answer of more than %d bytes", MaxAnswer)
	}
	return parse(body, period)
}

// address returns the URL of a question.
func (s *Source) address(slug string, period calendar.Period) string {
	u := s.url
	q := u.Query()
	q.Set("library", slug)
	q.Set("startDate", period.Start.String())
	q.Set("endDate", period.End.String())
	u.RawQuery = q.Encode()
	return u.String()
}

// withoutURL returns the reason of a client's error alone: the URL may hold a secret of the operator's.
func withoutURL(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

func (s *Source) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
