// Package analytics gets the sessions of a library network by channel from an analytics tool: it is the
// report.ChannelSource of `--analytics-url` (L13).
//
//	GET https://analytics.example/channels?library=rede-1&startDate=2026-08-01&endDate=2026-08-02
//
//	[{"date":"2026-08-01","channel":"web-desktop","sessions":120},{"date":"2026-08-01","channel":"app","sessions":31}]
//
// The rows of an answer may be in any order, and days without sessions may be absent. Rows of the app are estimated,
// whatever the tool says. An answer with any error is refused as a whole.
//
// A valid answer is stored by network, clock hour and period. Until the next hour every server, also a restarted one,
// answers from it, so the same query gives the same rows within the hour (L1). If two servers ask at once, the answer that
// is stored first counts. A failure is not stored. Requests that need the same answer at once cause one question.
package analytics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

	// storeTimeout bounds reading and storing an answer, which no request's context does. It is short, because an
	// embedded database may be locked by a load until the load ends.
	storeTimeout = 2 * time.Second
)

// Store keeps answers. *librariesdb.Store is one.
type Store interface {
	// ChannelAnswer returns the stored answer to a question.
	ChannelAnswer(ctx context.Context, q report.ChannelQuestion) (data []byte, found bool, err error)
	// KeepChannelAnswer stores an answer if none is stored yet, and returns the one that is stored.
	KeepChannelAnswer(ctx context.Context, q report.ChannelQuestion, data []byte) ([]byte, error)
}

// Source is a report.ChannelSource. It is safe for use by several goroutines; make one with New.
type Source struct {
	// Store, Cache and Slug must be set. Slug returns the slug by which the tool knows a network.
	Store Store
	Cache snapshot.Cache
	Slug  func(ctx context.Context, network libraries.NetworkID) (string, error)
	// Alone says that no other process serves the database. An answer that cannot be stored because of a load is then
	// kept only in the cache. Otherwise it is refused.
	Alone bool
	// Failed, if not nil, is called once for each failure. The error does not show the URL.
	Failed func(error)
	// Now is the clock of the hours. Nil is time.Now.
	Now func() time.Time
	// Timeout is how long the tool may take. New sets the constant of that name.
	Timeout time.Duration

	url    url.URL
	client http.Client
}

var _ report.ChannelSource = (*Source)(nil)

// New returns a Source for an absolute URL of http or https. The URL may have a query of its own.
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

// answer is a valid answer in the cache.
type answer []libraries.ChannelDay

// Bytes returns the memory that the answer takes.
func (a answer) Bytes() int { return len(a) * int(unsafe.Sizeof(libraries.ChannelDay{})) }

// Channels returns the rows of a period by day, then channel. The error is report.ErrChannels if the tool gives no valid
// answer or it cannot be stored; other errors are those of the database and of ctx.
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

// fresh asks the tool and stores the answer. An answer that cannot be stored is refused, because the next may differ.
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
		return nil, fmt.Errorf("status %d", res.StatusCode)
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

// address returns the URL for a period.
func (s *Source) address(slug string, period calendar.Period) string {
	u := s.url
	q := u.Query()
	q.Set("library", slug)
	q.Set("startDate", period.Start.String())
	q.Set("endDate", period.End.String())
	u.RawQuery = q.Encode()
	return u.String()
}

// withoutURL returns the cause of a client's error. It drops the URL, which may contain a secret.
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
