//go:build tools

// Package tools names the programs that hack/cluster/build makes from this module.
package tools

import (
	_ "sigs.k8s.io/cri-tools/cmd/crictl"
)
