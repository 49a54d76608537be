#!/bin/sh
# Builds kube-apiserver from the source package of Debian bookworm, inside a bookworm root whose apt has `deb-src`.
# Leaves /build/kube-apiserver. The argument is the expected version of the source package.
set -eu
package_version=$1
rm -rf /build
mkdir /build
cd /build
apt-get source --quiet=2 "kubernetes=$package_version"
mv kubernetes-*/ kubernetes
export HOME=/root GOPATH=/build/go GO111MODULE=off CGO_ENABLED=0 GOCACHE=/build/cache
mkdir -p "$GOPATH/src/k8s.io"
ln -s /build/kubernetes "$GOPATH/src/k8s.io/kubernetes"
cd "$GOPATH/src/k8s.io/kubernetes"
# The bundled reflect2 1.0.1 crashes on the first custom resource if it is built with Go 1.18 or later.
rm vendor/github.com/modern-go/reflect2/*.go vendor/github.com/modern-go/reflect2/*.s
cp /usr/share/gocode/src/github.com/modern-go/reflect2/*.go /usr/share/gocode/src/github.com/modern-go/reflect2/*.s \
  vendor/github.com/modern-go/reflect2/
rm -f vendor/github.com/modern-go/reflect2/*_test.go
# The source package does not contain the generated OpenAPI definitions, which server-side apply needs.
go build -o /build/openapi-gen k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
folders=$(grep -rl --include=*.go '+k8s:openapi-gen=' vendor/k8s.io/ staging/src/k8s.io pkg cmd | xargs -n1 dirname |
  sed 's#^staging/src/#vendor/#' | sort -u | grep -vE 'kube-openapi|code-generator|sample-|testdata|/test' |
  sed 's#^#k8s.io/kubernetes/#' | paste -sd,)
/build/openapi-gen --logtostderr -i "$folders" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
  -h hack/boilerplate/boilerplate.generatego.txt -r /build/api-violations.txt
version=k8s.io/kubernetes/vendor/k8s.io/component-base/version
# This tag leaves out the cloud clients, which make up most of the code.
go build -tags providerless -o /build/kube-apiserver \
  -ldflags "-s -w -X $version.gitVersion=v1.20.2 -X $version.gitMajor=1 -X $version.gitMinor=20" \
  k8s.io/kubernetes/cmd/kube-apiserver
/build/kube-apiserver --version
