package directorydb

import (
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

type partnerRow struct {
	bun.BaseModel `bun:"table:partners"`

	TenantID     directory.PartnerID `bun:",pk"`
	ReferenceID  directory.Ref
	Name         string
	LastEntityID directory.EntityID
	LastUserID   directory.UserID
}

type entityRow struct {
	bun.BaseModel `bun:"table:entities,alias:e"`

	TenantID    directory.PartnerID `bun:",pk"`
	EntityID    directory.EntityID  `bun:",pk"`
	ReferenceID directory.Ref
	EntityType  directory.EntityType
	Name        string
	Degree      string
	INEP        string `bun:"inep"`
	State       string
	City        string
	ParentID    directory.EntityID
	NetworkID   directory.EntityID // the network above; 0 for a network
	Deleted     bool
	Version     int64
}

func (r entityRow) number() int64            { return int64(r.EntityID) }
func (r entityRow) reference() directory.Ref { return r.ReferenceID }
func (r entityRow) gone() bool               { return r.Deleted }
func (r entityRow) check() error {
	return directory.CheckText(string(r.ReferenceID), r.Name, r.Degree, r.INEP, r.State, r.City)
}

// rowOfEntity returns the row of an entity, all but its network.
func rowOfEntity(partner directory.PartnerID, version int64, e directory.Entity) entityRow {
	return entityRow{
		TenantID: partner, EntityID: e.ID, ReferenceID: e.Ref, EntityType: e.Type, Name: e.Name, Degree: e.Degree,
		INEP: e.INEP, State: e.State, City: e.City, ParentID: e.Parent, Deleted: e.Deleted, Version: version,
	}
}

type accountRow struct {
	bun.BaseModel `bun:"table:accounts,alias:a"`

	TenantID    directory.PartnerID `bun:",pk"`
	UserID      directory.UserID    `bun:",pk"`
	ReferenceID directory.Ref
	Kind        directory.Kind
	Name        string
	Email       string
	Phone       string
	AccessToken string
	EntityID    directory.EntityID
	Active      bool
	Deleted     bool
	Version     int64
}

func (r accountRow) number() int64            { return int64(r.UserID) }
func (r accountRow) reference() directory.Ref { return r.ReferenceID }
func (r accountRow) gone() bool               { return r.Deleted }
func (r accountRow) check() error {
	return directory.CheckText(string(r.ReferenceID), r.Name, r.Email, r.Phone, r.AccessToken)
}

func rowOfAccount(partner directory.PartnerID, version int64, a directory.Account) accountRow {
	return accountRow{
		TenantID: partner, UserID: a.ID, ReferenceID: a.Ref, Kind: a.Kind, Name: a.Name, Email: a.Email, Phone: a.Phone,
		AccessToken: a.AccessToken, EntityID: a.Entity, Active: a.Active, Deleted: a.Deleted, Version: version,
	}
}

type evaluationRow struct {
	bun.BaseModel `bun:"table:evaluations,alias:v"`

	TenantID     directory.PartnerID `bun:",pk"`
	EvaluationID int64               `bun:",pk"`
	EntityID     directory.EntityID
	Title        string
	AppliedAt    *int64 // microseconds since 1970
}

func (r evaluationRow) number() int64 { return r.EvaluationID }
func (r evaluationRow) check() error  { return directory.CheckText(r.Title) }

func rowOfEvaluation(partner directory.PartnerID, v directory.Evaluation) evaluationRow {
	return evaluationRow{TenantID: partner, EvaluationID: v.ID, EntityID: v.Entity, Title: v.Title, AppliedAt: micros(v.AppliedAt)}
}

// micros returns a time as it is stored; the zero time is null.
func micros(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(t.UnixMicro())
}

// timeOf is the reverse of micros.
func timeOf(us *int64) time.Time {
	if us == nil {
		return time.Time{}
	}
	return time.UnixMicro(*us).UTC()
}
