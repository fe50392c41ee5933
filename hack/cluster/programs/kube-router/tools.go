//go:build tools

// Package tools names the programs that hack/cluster/build makes from this module.
package tools

import (
	_ "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router"
)
