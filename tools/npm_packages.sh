#!/bin/sh
# Installs packages from npm into a folder, where npm is there; says plainly which are missing where it is not.
# usage: npm_packages.sh FOLDER PACKAGE…
set -eu

folder=$1
shift
if ! command -v npm >/dev/null 2>&1; then
    echo "No npm: the tests that need these packages are skipped: $*" >&2
    exit 0
fi
mkdir -p "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" "$@" >/dev/null 2>&1 ||
    echo "npm could not install: $* (the tests that need them are skipped)" >&2
