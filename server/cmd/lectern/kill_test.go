package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	states "github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// asCommand is set in the environment of a child that is the command instead of the tests.
const asCommand = "LECTERN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	longestRequest = 0
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// child prepares the command as a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// trials is how often something is tried: as often as a variable of the environment says, else a few times.
func trials(t *testing.T, variable string, few int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(few)))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// pieces is a feed in several folders, each with all registers and a part of the events.
func pieces(t *testing.T, n int) []string {
	t.Helper()
	generated(t, "schools", "feed", generate.Params{Users: 150, Days: 60})
	files, err := filepath.Glob("feed/*")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for i := range n {
		folder := fmt.Sprint("piece-", i)
		folders = append(folders, folder)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			if strings.HasPrefix(name, "segments") || strings.HasPrefix(name, "accesses") {
				data = everyNth(data, n, i)
			}
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folders
}

// everyNth returns every n-th line, from one on.
func everyNth(data []byte, n, from int) (some []byte) {
	i := 0
	for line := range bytes.Lines(data) {
		if i%n == from {
			some = append(some, line...)
		}
		i++
	}
	return some
}

// twins are two databases: one into which loads are disturbed, and what one answers that they are not, before the first piece
// and after each.
type twins struct {
	*testing.T
	db      *database.DB
	pieces  []string
	answers []string
	whole   time.Duration // of a load that is not disturbed
	loaded  int           // pieces
	// clock is later with each command, so that nothing waits for a lease to run out, and never before that of the server, which
	// would undo by it what loads have left.
	clock time.Time
}

func newTwins(t *testing.T, db *database.DB) *twins {
	t.Helper()
	t.Chdir(t.TempDir())
	w := &twins{T: t, db: db, pieces: pieces(t, 4), clock: time.Now().UTC()}
	undisturbed, registers := "sqlite:undisturbed.db", registers(t)
	for _, url := range []string{undisturbed, db.URL} {
		ok(t, "--db", url, "partner", "create", "p", "--name", "P")
		if out, err := w.load(url, registers).CombinedOutput(); err != nil {
			t.Fatalf("load = %v %s", err, out)
		}
	}
	for i := range len(w.pieces) + 1 {
		w.answers = append(w.answers, everything(t, undisturbed))
		if i == len(w.pieces) {
			break
		}
		start := time.Now()
		if out, err := w.load(undisturbed, w.pieces[i]).CombinedOutput(); err != nil {
			t.Fatalf("load = %v %s", err, out)
		}
		w.whole = time.Since(start)
	}
	return w
}

// registers is a folder without events.
func registers(t *testing.T) string {
	t.Helper()
	if err := os.CopyFS("registers", os.DirFS("piece-0")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"segments", "accesses"} {
		files, err := filepath.Glob("registers/" + name + "*")
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		if err := os.WriteFile(files[0], nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "registers"
}

// load prepares a load as a process of its own, some minutes after the one before.
func (w *twins) load(url, folder string) *exec.Cmd {
	w.clock = w.clock.Add(2 * time.Minute)
	cmd := child(w.T, "--db", url, "load", "schools", "--partner", "p", folder)
	cmd.Env = append(cmd.Env, clockVariable+"="+w.clock.Format(time.RFC3339))
	return cmd
}

// moment is some moment of a load.
func (w *twins) moment(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(w.whole))) }

// check checks that the answers are those after the pieces that are loaded, or, when the commit was first, after one more.
func (w *twins) check(what string) {
	w.Helper()
	got := everything(w.T, w.db.URL)
	if got == w.answers[w.loaded] {
		return
	}
	if w.loaded++; w.loaded == len(w.answers) || got != w.answers[w.loaded] {
		w.Fatalf("%s the answers are neither those before nor those after piece %d", what, w.loaded)
	}
}

// end loads a piece to its end, after which nothing of disturbed loads is left.
func (w *twins) end(piece int) {
	w.Helper()
	if out, err := w.load(w.db.URL, w.pieces[piece]).CombinedOutput(); err != nil {
		w.Fatalf("load = %v %s", err, out)
	}
	if w.loaded = piece + 1; everything(w.T, w.db.URL) != w.answers[w.loaded] {
		w.Fatalf("after a whole load of piece %d the answers differ from its twin's", piece)
	}
	w.nothingLeft()
}

// nothingLeft holds that no lease and no row of disturbed loads is there.
func (w *twins) nothingLeft() {
	w.Helper()
	var left int
	err := w.db.NewRaw(`
		SELECT (SELECT count(*) FROM leases) + count(*)
		  FROM blocks
		 WHERE since > (SELECT max(facts) FROM versions) OR until < ? AND until > (SELECT max(facts) FROM versions)`, states.Open).Scan(w.Context(), &left)
	if err != nil || left > 0 {
		w.Fatalf("%d leases and rows of disturbed loads are left, %v", left, err)
	}
}

// TestKilledLoad kills loads with SIGKILL at random moments, and ends some with SIGTERM. After each, what is served is the state
// before or, when the commit was first, the state after; one that was told to end has left nothing, so that the next need not
// wait; and the load that is repeated to its end gives the answers of one that was never disturbed, byte for byte, and leaves
// nothing of those that were killed (F2, F6).
func TestKilledLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w, r := newTwins(t, db), rand.New(rand.NewPCG(5, 6))
		n, killed, ended := trials(t, "LECTERN_TEST_KILLS", 20), 0, 0
		for i := range n {
			piece := i * len(w.pieces) / n
			if piece > w.loaded {
				w.end(piece - 1)
			}
			signal := syscall.SIGKILL
			if i%4 == 3 {
				signal = syscall.SIGTERM
				if out, err := w.load(db.URL, "registers").CombinedOutput(); err != nil { // what was killed before is undone
					t.Fatalf("load = %v %s", err, out)
				}
			}
			cmd := w.load(db.URL, w.pieces[piece])
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			moment := time.AfterFunc(w.moment(r), func() { cmd.Process.Signal(signal) })
			err := cmd.Wait()
			moment.Stop()
			status, is := cmd.ProcessState.Sys().(syscall.WaitStatus)
			switch {
			case err != nil && is && status.Signaled(): // by SIGTERM before it is listened for
				killed++
			case err != nil && signal == syscall.SIGTERM && status.ExitStatus() == exitError:
				ended++
				w.nothingLeft()
			case err != nil:
				t.Fatalf("load = %v", err)
			}
			w.check(fmt.Sprint("after ", killed, " kills"))
		}
		w.end(len(w.pieces) - 1)
		if killed == 0 || ended == 0 && n >= 20 {
			t.Errorf("%d loads were killed and %d ended before their end, want some of each", killed, ended)
		}
		t.Logf("%d of %d loads were killed, %d ended before their end", killed, n, ended)
	})
}

// TestStoppedLoad stops loads with SIGSTOP at random moments, until another has taken over, or has waited a while for what the
// sleeper has locked. That one wakes up to an error, and neither breaks what the other has done (F6).
func TestStoppedLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w, r := newTwins(t, db), rand.New(rand.NewPCG(7, 8))
		n, lost := trials(t, "LECTERN_TEST_STOPS", 5), 0
		for i := range n {
			piece := i * len(w.pieces) / n
			if piece > w.loaded {
				w.end(piece - 1)
			}
			var says bytes.Buffer
			sleeper := w.load(db.URL, w.pieces[piece])
			sleeper.Stderr = &says
			if err := sleeper.Start(); err != nil {
				t.Fatal(err)
			}
			w.sleepThrough(sleeper, w.moment(r), w.pieces[piece])
			err := sleeper.Wait()
			switch {
			case strings.Contains(says.String(), states.ErrLost.Error()) && sleeper.ProcessState.ExitCode() == exitError:
				lost++
			case strings.Contains(says.String(), "57P01"): // the load that took over ended the sleeper's connection
				lost++
			case err != nil && !strings.Contains(says.String(), "another command is writing"):
				t.Fatalf("the sleeper = %v %s", err, &says)
			}
			w.check(fmt.Sprint("after ", i+1, " stops"))
		}
		w.end(len(w.pieces) - 1)
		t.Logf("%d of %d sleepers lost their load", lost, n)
	})
}

// sleepThrough lets a load begin, stops it at a moment, and wakes it when another load of the same has ended or waits.
func (w *twins) sleepThrough(sleeper *exec.Cmd, moment time.Duration, folder string) {
	w.Helper()
	stopped := make(chan struct{})
	time.AfterFunc(moment, func() {
		sleeper.Process.Signal(syscall.SIGSTOP)
		close(stopped)
	})
	<-stopped
	taker := w.load(w.db.URL, folder)
	var says bytes.Buffer
	taker.Stderr = &says
	if err := taker.Start(); err != nil {
		w.Fatal(err)
	}
	patience := time.AfterFunc(2*w.whole+time.Second, func() { sleeper.Process.Signal(syscall.SIGCONT) })
	err := taker.Wait()
	patience.Stop()
	sleeper.Process.Signal(syscall.SIGCONT)
	if err != nil && !strings.Contains(says.String(), "another command is writing") && !strings.Contains(says.String(), states.ErrLost.Error()) {
		w.Fatalf("the load beside a sleeper = %v %s", err, &says)
	}
}

// everything serves a database and returns the first pages of all routes, up to a day that is over: an end that is to come is that of
// today, which changes at midnight.
func everything(t *testing.T, url string) string {
	t.Helper()
	key, id := apiKey(t, ok(t, "--db", url, "key", "issue", "schools", "--partner", "p", "--network", "rede-1"))
	defer func() { ok(t, "--db", url, "key", "revoke", id) }()
	var all strings.Builder
	whileServing(t, []string{"--db", url, "serve", "--addr", "127.0.0.1:0", "--schools-rate", "0"}, `"addr":"`, func(lines string) {
		_, addr, _ := strings.Cut(lines, `"addr":"`)
		addr, _, _ = strings.Cut(addr, `"`)
		for _, route := range []string{"users?pageSize=1000", "engagements?startDate=2026-01-01&endDate=2026-10-31&pageSize=1000", "readings?startDate=2026-01-01&endDate=2026-10-31&pageSize=1000"} {
			for page := 1; page <= 3; page++ {
				status, body := fetch(t, fmt.Sprintf("http://%s/api-platform/schools/v1/%s&page=%d", addr, route, page), key)
				fmt.Fprintln(&all, status, body)
			}
		}
	})
	return all.String()
}
