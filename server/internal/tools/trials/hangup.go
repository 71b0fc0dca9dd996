package main

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// hangUp has clients with a good key send requests and leave before the answer. Others are answered meanwhile, none with 503.
func (t *partnerSide) hangUp(c chance, _ Step) error {
	k, err := t.newKey("n1") // whose rate is its own
	if err != nil {
		return err
	}
	s := pick(c, t.servers)
	request := fmt.Sprintf("GET %s/%s HTTP/1.1\r\nHost: x\r\nUser-Agent: trials\r\nX-Api-Key: %s\r\n\r\n", schoolsPrefix, pick(c, []string{"users", "readings"}), k)
	var over atomic.Bool
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for wait := time.Duration(n) * 100 * time.Microsecond; !over.Load(); wait = (wait + 130*time.Microsecond) % (2 * time.Millisecond) {
				if conn, err := net.Dial("tcp", "127.0.0.1:"+s.port); err == nil {
					_, _ = conn.Write([]byte(request))
					time.Sleep(wait)
					_ = conn.(*net.TCPConn).SetLinger(0)
					conn.Close()
				}
			}
		})
	}
	for until := time.Now().Add(time.Second); err == nil && time.Now().Before(until); {
		err = t.something(c)
	}
	over.Store(true)
	wg.Wait()
	if err != nil {
		return err
	}
	if err := t.must(nil, "key", "revoke", keyID(k)); err != nil {
		return err
	}
	return t.ends(c, k)
}
