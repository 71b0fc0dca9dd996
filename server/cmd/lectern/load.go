package main

import (
	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

type loadSchoolsCmd struct {
	Folder  string `arg:"" help:"The feed: a folder with one file for each resource."`
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	loadFlags
	history
}

// Run loads a feed and prints the totals.
func (c *loadSchoolsCmd) Run(s *session) error {
	db, err := s.openForLoad(c.loadFlags)
	if err != nil {
		return err
	}
	defer db.Close()
	totals, err := loadSchools(s, db, c.Partner, c.Folder, schoolsload.Options{
		History: &c.SchoolsHistory, SkipBad: c.SkipBad, Ignore: c.Ignore, Check: c.Check,
	})
	if err != nil {
		return err
	}
	return s.printLoad(totals, schoolsSummary(&totals), c.loadFlags)
}

// loadSchools loads a feed into the partner of a reference. The options say nothing of the partner, the clock and the
// progress.
func loadSchools(s *session, db *database.DB, partner, folder string, o schoolsload.Options) (schoolsload.Totals, error) {
	p, err := s.partner(db, partner)
	if err != nil {
		return schoolsload.Totals{}, err
	}
	bars := newLoadProgress(s.stderr, partner)
	defer bars.finish()
	o.Partner, o.Ref, o.Now, o.Progress = p.ID, directory.Ref(partner), s.now, bars.show
	store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy, Now: s.clock}
	totals, err := schoolsload.Load(s.ctx, store, folder, o)
	if err == nil && !o.Check {
		s.recordLoad(db, auth.Tenant(p.ID), auth.Schools, totals.Seconds, schoolsRows(&totals))
	}
	return totals, ignoreHint(err)
}
