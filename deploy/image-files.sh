#!/bin/sh
# Run in the build of an image: leaves in /app what a program needs at run time, and makes /image, the rest of its root:
# Node, the libraries that it is linked with, and the user. No shell, no npm and no package manager comes with it.
set -eu

# Modules have the code of several systems and versions of Node, and files for those who develop with them.
abi=$(node -p process.versions.modules)
find /app/node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.md' ! -iname 'licen*' \) -delete
find /app/node_modules -type f -name '*.node' \( -name '*musl*' -o -name 'node.abi*' ! -name "node.abi$abi.*" \) -delete
rm -f /app/dist/tsconfig.tsbuildinfo

mkdir -p /image/usr/bin /image/usr/lib /image/usr/lib64 /image/usr/local/bin /image/usr/sbin /image/etc/ssl/certs
for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "/image/$folder"; done
mkdir -p /image/dev /image/proc /image/run /image/sys /image/var/lib/dpkg/status.d
mkdir -m 1777 /image/tmp

cp /usr/local/bin/node /image/usr/local/bin/node
cd /
# Each package as a whole but for its documents and its converters of character sets; scanners find it in status.d.
for package in libc6 libgcc-s1 libstdc++6; do
  dpkg -L "$package" | grep -v -e /gconv/ -e /usr/share/ | while read -r file; do
    if [ -f "$file" ] || [ -L "$file" ] && [ ! -d "$file" ]; then cp -a --parents "${file#/}" /image; fi
  done
  dpkg-query --status "$package" >"/image/var/lib/dpkg/status.d/$package"
done
cp /etc/os-release /etc/debian_version /image/etc/
echo 'hosts: files dns' >/image/etc/nsswitch.conf
certificates=/etc/ssl/certs/ca-certificates.crt
if [ -f "$certificates" ]; then cp "$certificates" /image/etc/ssl/certs/; fi

echo 'root:x:0:0:root:/:/usr/sbin/nologin
app:x:10001:10001::/config:/usr/sbin/nologin' >/image/etc/passwd
echo 'root:x:0:
app:x:10001:' >/image/etc/group
# For the volume: an instruction gives it to the user.
mkdir /empty
