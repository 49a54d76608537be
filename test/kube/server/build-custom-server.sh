#!/bin/sh
# Inside a Debian sid root file system, builds a current API server for custom kinds from Debian's Go packages for
# Kubernetes.
# Leaves /build/apiextensions-apiserver and the version of the packages in /build/version.
set -eu
mkdir /build
GOROOT=$(find /usr/lib -maxdepth 1 -name 'go-1.*' | sort -V | tail -n 1)
export GOROOT GOPATH=/usr/share/gocode GO111MODULE=off CGO_ENABLED=0 GOCACHE=/build/cache HOME=/root
"$GOROOT/bin/go" build -ldflags "-s -w" -o /build/apiextensions-apiserver k8s.io/apiextensions-apiserver
dpkg-query --showformat='${Version}\n' --show golang-k8s-apiextensions-apiserver-dev >/build/version
