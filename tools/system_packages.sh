#!/bin/sh
# Installs Debian packages that are missing, where we may; says plainly which are missing where we may not.
# usage: system_packages.sh PACKAGE…
set -eu

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "Not a Debian system: install these by your own means, or the tests that need them fail or are skipped: $*" >&2
    exit 0
fi
missing=""
for package in "$@"; do installed "$package" || missing="$missing $package"; done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
    echo "Missing system packages; run as root: apt-get install$missing (the tests that need them fail or are skipped)" >&2
    exit 0
fi
echo "Installing system packages:$missing"
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install -y --no-install-recommends $missing; } >/tmp/pagesieve-apt.log 2>&1 || {
    tail -n 5 /tmp/pagesieve-apt.log >&2
    echo "Could not install:$missing (the tests that need them fail or are skipped)" >&2
}
