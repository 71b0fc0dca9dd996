package check

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/lectern-dev/lectern/server"
)

// key checks the key under which the secrets of directory keys are sealed: that it opens them, and that only its owner can read
// it.
func (c *Checker) key(ctx context.Context) error {
	before := c.wrong
	secrets, err := server.NewSecrets(c.DB, c.Key)
	if err != nil {
		c.fault(keyItem, "set "+server.SecretKeyVariable+" to 32 bytes in base64", "%v", err)
		return nil
	}
	at := secrets.KeyAt()
	if file := c.DB.File(); file != "" && at != nil && *at == file+".key" {
		c.keyFile(*at, file)
	}
	err = secrets.Verify(ctx, c.Clock)
	switch {
	case ctx.Err() != nil:
		return err
	case c.leftOut(err) != nil:
		c.fault(keyItem, "put the key back that they were issued under, or revoke those keys and issue others", "%v", err)
	}
	where := "none, and none is needed"
	if at != nil {
		where = *at
	}
	c.okUnlessWrong(keyItem, before, "%s", where)
	return nil
}

// keyFile checks the owner and the mode of the key file.
func (c *Checker) keyFile(file, of string) {
	info, err := os.Stat(file)
	if err != nil {
		c.fault(keyItem, "run this as the owner of the database", "%v", err)
		return
	}
	if mode := info.Mode(); !privateMode(mode) {
		c.fault(keyItem, "run chmod 600 "+file+"; others may have read it, so rotate the directory keys", "%s has mode %04o", file, mode.Perm())
	}
	if owned, err := c.DB.OwnedLike(file); err != nil || !owned {
		c.fault(keyItem, fmt.Sprintf("run chown --reference=%s %s", of, file), "%s does not belong to the owner of %s", file, of)
	}
}

// privateMode reports whether only the owner can read a file with a mode.
func privateMode(mode fs.FileMode) bool { return mode.Perm()&0o077 == 0 || runtime.GOOS == "windows" }
