//go:build tools

// Package tools names the programs that hack/cluster/build makes from this module.
package tools

import (
	_ "gvisor.dev/gvisor/runsc"
	_ "gvisor.dev/gvisor/shim"
)
