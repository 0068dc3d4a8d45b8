#!/bin/sh
# Installs all packages of a folder, with the packages of Debian that they need.
#
# Usage: install-packages.sh FOLDER [PACKAGE...]
#
# The further packages come from Debian, too. Needs root.
set -eu

folder=$(cd "$1" && pwd)
shift
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$folder"/*.deb "$@"
