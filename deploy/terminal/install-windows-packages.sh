#!/bin/sh
# install-windows-packages.sh REQUIREMENTS PYTHON_FOLDER: puts the wheels, checked by hash, into a Windows Python that
# has a python3*._pth file (as the embeddable zip has), and adds their folder to that file.
set -eu
requirements=$1 python=$2
for paths in "$python"/python3*._pth; do
  [ -f "$paths" ] || { echo "install-windows-packages.sh: no python3*._pth in $python" >&2; exit 1; }
done
python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes \
  --only-binary :all: --platform win_amd64 --python-version 3.11 --implementation cp \
  --target "$python/Lib/site-packages" --requirement "$requirements"
for paths in "$python"/python3*._pth; do
  printf 'Lib\\site-packages\r\n' >>"$paths"
done
