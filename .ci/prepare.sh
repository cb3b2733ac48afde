# Sourced by the scripts of this folder: installs what the suites use besides Node and npm, then the packages of the lock file.

wanted=()
command -v chromium >/dev/null || wanted+=(chromium)
command -v promtool >/dev/null || wanted+=(prometheus)
command -v caddy >/dev/null || wanted+=(caddy)
command -v python3 >/dev/null || wanted+=(python3)
python3 -m ensurepip --version >/dev/null 2>&1 || wanted+=(python3-venv)
command -v wine >/dev/null || wanted+=(wine wine64)
command -v mvn >/dev/null || wanted+=(maven)
command -v Xvfb >/dev/null || wanted+=(xvfb)
command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || wanted+=(postgresql)
command -v faketime >/dev/null || wanted+=(faketime)
command -v zsh >/dev/null || wanted+=(zsh)
command -v fish >/dev/null || wanted+=(fish)
command -v x86_64-w64-mingw32-gcc >/dev/null || wanted+=(gcc-mingw-w64-x86-64-win32)
if ((${#wanted[@]})) && command -v apt-get >/dev/null; then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  echo "Installing ${wanted[*]}"
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
fi

# NumPy for the bridge's contract suite: the real package answers with its arrays. The generator for the suite that drives
# the gateway with a client made from its OpenAPI document. pandas for the independent model of a backtest, Optuna for the
# example of a search. httpx for our own package for Python, hatchling, which builds it, and uv, which installs it. A virtual environment, so that no
# system's own Python is touched; beside npm, which takes as long.
python_packages() {
  python3 -c 'import numpy, pandas, optuna, openapi_python_client, httpx, hatchling, uv' 2>/dev/null && return
  python3 -m venv .build/python
  .build/python/bin/pip install --quiet --disable-pip-version-check numpy pandas optuna openapi-python-client==0.29.1 httpx hatchling uv==0.13.9
}

# NautilusTrader 2 is a wheel of 70 MB for Python 3.12 and newer, so it has an environment of its own, beside the one above.
nautilus_packages() {
  .build/nautilus/bin/python -c 'import nautilus_trader, httpx, numpy' 2>/dev/null && return
  local python found=
  for python in python3.12 python3.13 python3 ~/.pyenv/versions/3.1[2-9]*/bin/python; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && found=$python && break
  done
  # Its suite then fails and names what it needs.
  [[ -n $found ]] || { echo 'No Python 3.12 or newer for NautilusTrader.' >&2; return 0; }
  "$found" -m venv .build/nautilus
  .build/nautilus/bin/pip install --quiet --disable-pip-version-check nautilus_trader==2.0.0rc6 'httpx>=0.27,<1' numpy
}

python_packages &
python=$!
nautilus_packages &
nautilus=$!
npm ci --no-audit --no-fund
wait "$python"
wait "$nautilus"
if [[ -d .build/python ]]; then export PATH="$PWD/.build/python/bin:$PATH"; fi
