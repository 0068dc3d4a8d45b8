#!/bin/sh
# Installs the Debian packages into a fresh Debian 12, and uses them there. Needs root,
# debootstrap and a mirror of Debian.
#
# Usage: try-packages.sh [PACKAGES [FOLDER]]
#
# PACKAGES is the folder of the packages (build/release/packages: the target `packages`
# writes it). FOLDER gets the system; without one, it is a temporary folder that is
# removed at the end. DEBIAN_MIRROR and DEBIAN_SECURITY_MIRROR name other mirrors;
# LLVM 22, which the plugin needs, comes from the latter.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
packages=${1:-$here/../../build/release/packages}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
security=${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}

fail() { printf 'try-packages.sh: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "needs root, for debootstrap and chroot"
command -v debootstrap > /dev/null || fail "debootstrap is not installed"
ls "$packages"/*.deb > /dev/null 2>&1 || fail "no packages in $packages"

# Mounts belong to this run alone, and end with it.
if [ "${TCGEMM_OWN_MOUNTS:-}" != 1 ]; then
  exec unshare -m env TCGEMM_OWN_MOUNTS=1 sh "$0" "$@"
fi
mount --make-rprivate /
system=${2:-}
if [ -z "$system" ]; then
  system=$(mktemp -d)
  trap 'umount "$system/proc" "$system/dev" 2> /dev/null; rm -rf --one-file-system "$system"' EXIT
fi

if [ ! -e "$system/etc/debian_version" ]; then
  echo "== Debian 12 from $mirror into $system"
  debootstrap --variant=minbase bookworm "$system" "$mirror" > "$system.log" 2>&1 ||
    { tail "$system.log"; fail "debootstrap failed: see $system.log"; }
  rm -f "$system.log"
fi
mkdir -p "$system/packages"
cp "$packages"/*.deb "$here/try-installed.sh" "$here/install-packages.sh" "$system/packages/"
cp -L /etc/resolv.conf "$system/etc/resolv.conf"
echo "deb $security bookworm-security main" > "$system/etc/apt/sources.list.d/security.list"
mount -t proc proc "$system/proc"
mount --bind /dev "$system/dev"
echo "== Installing the packages"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$system" \
  sh /packages/install-packages.sh /packages gcc libc6-dev pkg-config python3-numpy mlir-22-tools mandoc
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$system" \
  sh /packages/try-installed.sh
