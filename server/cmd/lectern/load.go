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
	SkipBad string `placeholder:"FILE" help:"Skip bad rows and list them in FILE, instead of stopping at the first."`
	history
}

// Run loads a feed and prints the totals.
func (c *loadSchoolsCmd) Run(s *session) error {
	db, err := s.openExisting()
	if err != nil {
		return err
	}
	defer db.Close()
	totals, err := loadSchools(s, db, c.Partner, c.Folder, c.history, c.SkipBad)
	if err != nil {
		return err
	}
	return s.print(totals)
}

func loadSchools(s *session, db *database.DB, partner, folder string, h history, skipBad string) (schoolsload.Totals, error) {
	p, err := s.partner(db, partner)
	if err != nil {
		return schoolsload.Totals{}, err
	}
	bars := newProgress(s.stderr)
	defer bars.finish()
	store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy}
	totals, err := schoolsload.Load(s.ctx, store, folder, schoolsload.Options{
		Partner: p.ID, Ref: directory.Ref(partner), History: &h.SchoolsHistory, SkipBad: skipBad, Now: s.now, Progress: bars.show,
	})
	if err == nil {
		s.recordLoad(db, auth.Tenant(p.ID), auth.Schools, totals.Seconds, schoolsRows(&totals))
	}
	return totals, err
}
