#!/bin/sh
# install-wine.sh debian|winehq: Debian's Wine, or the stable branch of WineHQ's own repository for Debian 12.
set -eu
case ${1:?debian or winehq} in
debian)
  apt-get update
  apt-get install -y --no-install-recommends wine wine64
  ;;
winehq)
  apt-get update
  apt-get install -y --no-install-recommends ca-certificates curl
  curl --fail --silent --show-error --proto '=https' --output /usr/share/keyrings/winehq.asc \
    https://dl.winehq.org/wine-builds/winehq.key
  echo 'deb [arch=amd64,i386 signed-by=/usr/share/keyrings/winehq.asc] https://dl.winehq.org/wine-builds/debian/ bookworm main' \
    >/etc/apt/sources.list.d/winehq.list
  dpkg --add-architecture i386
  apt-get update
  apt-get install -y --no-install-recommends winehq-stable
  ;;
*)
  echo "install-wine.sh: debian or winehq, not $1" >&2
  exit 2
  ;;
esac
rm -rf /var/lib/apt/lists/*
