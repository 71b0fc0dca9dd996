package deploy_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// image is the contents of a Dockerfile.
type image struct {
	build         string // the script that builds the files
	files         map[string]string
	user, dir     string
	volumes       []string
	ports         []string
	env           map[string]string
	entry, params []string
}

// readImage reads the Dockerfile as its builder does. The builder's warnings are errors.
func readImage(t *testing.T) image {
	t.Helper()
	f, err := os.Open("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tree, err := parser.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		t.Errorf("Dockerfile: %s", w.Short)
	}
	warn := func(rule, about, _, message string, _ []parser.Range) {
		t.Errorf("Dockerfile: %s: %s (%s)", rule, message, about)
	}
	stages, _, err := instructions.Parse(tree.AST, linter.New(&linter.Config{Warn: warn}))
	if err != nil || len(stages) != 2 || stages[0].Name != "build" || stages[1].BaseName != "scratch" {
		t.Fatalf("Dockerfile: %v, %d stages, want build and one from scratch", err, len(stages))
	}
	i := image{files: map[string]string{}, env: map[string]string{}}
	for _, c := range stages[0].Commands {
		if run, ok := c.(*instructions.RunCommand); ok {
			i.build += strings.Join(run.CmdLine, " ") + "\n"
		}
	}
	for _, c := range stages[1].Commands {
		i.read(t, c)
	}
	return i
}

func (i *image) read(t *testing.T, command instructions.Command) {
	t.Helper()
	switch c := command.(type) {
	case *instructions.CopyCommand:
		if c.From != "build" || len(c.SourcePaths) != 1 {
			t.Errorf("Dockerfile: %s copies what was not built", c)
		}
		i.files[c.DestPath] = c.SourcePaths[0] + " " + c.Chown
	case *instructions.UserCommand:
		i.user = c.User
	case *instructions.WorkdirCommand:
		i.dir = c.Path
	case *instructions.VolumeCommand:
		i.volumes = append(i.volumes, c.Volumes...)
	case *instructions.ExposeCommand:
		i.ports = append(i.ports, c.Ports...)
	case *instructions.EnvCommand:
		for _, pair := range c.Env {
			i.env[pair.Key] = pair.Value
		}
	case *instructions.EntrypointCommand:
		i.entry = c.CmdLine
	case *instructions.CmdCommand:
		i.params = c.CmdLine
	default:
		t.Errorf("Dockerfile: what is %s?", command)
	}
}

// TestDockerfile tests the image: its binary, its folder, its user, which is not root, and the ports that it listens
// on.
func TestDockerfile(t *testing.T) {
	i := readImage(t)
	if want := []string{"/usr/local/bin/lectern"}; !slices.Equal(i.entry, want) || i.files[want[0]] != "/lectern " {
		t.Errorf("the image runs %q, and has %v", i.entry, i.files)
	}
	if i.user != "65532:65532" || i.files["/data"] != "/data "+i.user {
		t.Errorf("user %s, files %v: want a number that is not root's, whose /data is", i.user, i.files)
	}
	if i.dir != "/data" || !slices.Equal(i.volumes, []string{i.dir}) || i.env["TMPDIR"] != i.dir {
		t.Errorf("in %s, volumes %q, variables %v: want all in /data, which alone can be written", i.dir, i.volumes, i.env)
	}
	var ports []string
	for _, name := range []string{"LECTERN_ADDR", "LECTERN_ADMIN_ADDR"} {
		ports = append(ports, strings.TrimPrefix(i.env[name], "0.0.0.0:"))
	}
	if !slices.Equal(i.ports, ports) {
		t.Errorf("ports %q, listens at %q", i.ports, ports)
	}
	dir := t.TempDir()
	script := replaced(t, i.build, "-o /lectern ", "-o "+dir+"/lectern ", "mkdir /data", "mkdir "+dir+"/data")
	run(t, filepath.Join("..", ".."), nil, "sh", "-e", "-c", script)
	checkCommand(t, filepath.Join(dir, "lectern"), i.params, i.env)
}

// readCompose reads the compose file as Docker Compose does.
func readCompose(t *testing.T, env types.Mapping) (*types.Project, error) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	details := types.ConfigDetails{WorkingDir: dir, ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml"}}, Environment: env}
	return loader.LoadWithContext(t.Context(), details, func(o *loader.Options) {
		o.SetProjectName("lectern", false)
		o.Profiles = []string{"*"}
	})
}

// TestCompose tests that the services of Lectern use the image of the Dockerfile and the database service.
func TestCompose(t *testing.T) {
	if _, err := readCompose(t, nil); err == nil || !strings.Contains(err.Error(), "see the beginning of compose.yaml") {
		t.Errorf("without secrets: %v, want to be told where they come from", err)
	}
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	p, err := readCompose(t, types.Mapping{"DATABASE_PASSWORD": "secret", "LECTERN_SECRET_KEY": key})
	if err != nil {
		t.Fatal(err)
	}
	i := readImage(t)
	binary := lectern(t)
	own := 0
	for name, s := range p.Services {
		if s.Image != "lectern" {
			continue
		}
		own++
		t.Run(name, func(t *testing.T) { checkService(t, s, i) })
		env := map[string]string{}
		for name, value := range s.Environment {
			env[name] = *value
		}
		checkCommand(t, binary, s.Command, env)
		checkDatabase(t, env, p.Services["database"])
	}
	if own != 3 || len(p.Services) != 4 {
		t.Errorf("%d services, %d of them of the image", len(p.Services), own)
	}
}

func checkService(t *testing.T, s types.ServiceConfig, i image) {
	if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	if here, _ := filepath.Abs("Dockerfile"); filepath.Join(s.Build.Context, s.Build.Dockerfile) != here {
		t.Errorf("built from %s in %s", s.Build.Dockerfile, s.Build.Context)
	}
	if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) || s.User != "" {
		t.Errorf("read only %v, without %q, %q, as %q", s.ReadOnly, s.CapDrop, s.SecurityOpt, s.User)
	}
	writable, feeds := "", ""
	for _, v := range s.Volumes {
		if v.ReadOnly {
			feeds = v.Target
		} else {
			writable += v.Target
		}
	}
	if !slices.Equal(i.volumes, []string{writable}) {
		t.Errorf("%s can be written, in the image %q", writable, i.volumes)
	}
	if s.Command[0] == "load" && s.Command[len(s.Command)-1] != feeds {
		t.Errorf("%q reads from outside %s", s.Command, feeds)
	}
	for _, port := range s.Ports { // the port of the admin address is not published
		if fmt.Sprint(port.Target) != i.ports[0] || port.HostIP != "127.0.0.1" {
			t.Errorf("publishes %+v", port)
		}
	}
	if s.DependsOn["database"].Condition != types.ServiceConditionHealthy {
		t.Errorf("starts after %v", s.DependsOn)
	}
}

// checkDatabase checks that the database URL of a service refers to the database service.
func checkDatabase(t *testing.T, env map[string]string, db types.ServiceConfig) {
	t.Helper()
	u, err := url.Parse(env["LECTERN_DB"])
	if err != nil {
		t.Fatal(err)
	}
	got := []string{u.Hostname(), u.User.Username(), strings.TrimPrefix(u.Path, "/"), env["PGPASSWORD"]}
	want := []string{db.Name, *db.Environment["POSTGRES_USER"], *db.Environment["POSTGRES_DB"], *db.Environment["POSTGRES_PASSWORD"]}
	if !slices.Equal(got, want) || len(db.Volumes) != 1 || db.HealthCheck == nil {
		t.Errorf("the database is %q, want %q, kept and looked after: %+v", got, want, db.Volumes)
	}
}
