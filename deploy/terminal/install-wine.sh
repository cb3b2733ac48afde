#!/bin/sh
# install-wine.sh VERSION: this version of WineHQ's stable branch for Debian 12 with its parts, held at it; or, for "debian",
# the Wine of Debian. The parts are named because apt would take their newest versions and then refuse.
set -eu
version=${1:?a version such as 10.0.0.0~bookworm-1, or debian}
if [ "$version" = debian ]; then
  apt-get update
  apt-get install -y --no-install-recommends wine wine64
  rm -rf /var/lib/apt/lists/*
  exit 0
fi
apt-get update
apt-get install -y --no-install-recommends ca-certificates curl
curl --fail --silent --show-error --proto '=https' --output /usr/share/keyrings/winehq.asc \
  https://dl.winehq.org/wine-builds/winehq.key
echo 'deb [arch=amd64,i386 signed-by=/usr/share/keyrings/winehq.asc] https://dl.winehq.org/wine-builds/debian/ bookworm main' \
  >/etc/apt/sources.list.d/winehq.list
# wine-stable depends on the 32-bit part, which there is as an i386 package only.
dpkg --add-architecture i386
apt-get update
apt-get install -y --no-install-recommends \
  "winehq-stable=$version" "wine-stable=$version" "wine-stable-amd64=$version" "wine-stable-i386:i386=$version"
apt-mark hold winehq-stable wine-stable wine-stable-amd64 wine-stable-i386:i386
rm -rf /var/lib/apt/lists/*
