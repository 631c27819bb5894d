# Finds a JDK 25, or downloads the pinned one. Sourced by ../gauss; expects $home and say().
# Runs on bash 3.2, which macOS has.
# shellcheck shell=bash

jdk_table=${GAUSS_JDK_TABLE:-$home/launcher/temurin-25.txt}
jdk_store=${GAUSS_JDK_DIR:-$HOME/.gauss/jdk}

# Where this process downloads to; removed however it ends.
jdk_download=

is_jdk25() {
  [ -x "$1/bin/javac" ] && [ -f "$1/release" ] && grep -q '^JAVA_VERSION="25[."]' "$1/release"
}

# One directory a line, best first.
jdk_candidates() {
  printf '%s\n' "${GAUSS_JAVA_HOME:-}" "${JAVA_HOME:-}" \
    "$(dirname "$(dirname "$(readlink -f "$(command -v javac 2>/dev/null || echo /none/none)")")")" \
    /usr/lib/jvm/* /opt/*jdk* /opt/java/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home
}

jdk_installed() {
  local candidate
  while IFS= read -r candidate; do
    if [ -n "$candidate" ] && is_jdk25 "$candidate"; then
      printf '%s' "$candidate"
      return 0
    fi
  done < <(jdk_candidates)
  return 1
}

# Prints the JDK 25 to use. GAUSS_JDK_DOWNLOAD: "ask" (the default) asks a terminal when there is
# none, "yes" downloads then without asking, "no" never does; "pinned" uses the pinned build even
# where another JDK 25 is installed.
find_jdk() {
  local policy=${GAUSS_JDK_DOWNLOAD:-ask}
  case $policy in
    ask | yes | no | pinned) ;;
    *)
      say "gauss: GAUSS_JDK_DOWNLOAD is $policy (known: ask, yes, no, pinned)"
      return 2
      ;;
  esac
  if [ "$policy" != pinned ] && jdk_installed; then
    return 0
  fi
  if jdk_downloaded; then
    return 0
  fi
  if [ "$policy" = ask ]; then
    policy=no
    if [ -t 0 ] && [ -t 2 ] && jdk_pinned >/dev/null; then
      printf 'gauss: no JDK 25 found. Download Eclipse Temurin %s (about 140 MB) to %s? [y/N] ' \
        "$(jdk_value release)" "$jdk_store" >&2
      local answer=
      read -r answer || true
      case $answer in
        y | Y | yes | Yes) policy=yes ;;
      esac
    fi
  fi
  if [ "$policy" = no ]; then
    jdk_missing
    return 1
  fi
  # In a shell of its own, whose end removes what an interrupted download has left.
  (download_jdk) || return 1
  jdk_downloaded
}

jdk_missing() {
  say "gauss: no JDK 25 found (looked at GAUSS_JAVA_HOME, JAVA_HOME, PATH, /usr/lib/jvm, /opt, ~/.sdkman, ~/.jdks, $jdk_store)."
  jdk_advice
}

jdk_advice() {
  say "Install one, for example:"
  say "  Debian, Ubuntu:  apt-get install openjdk-25-jdk   (or the temurin-25-jdk package of Adoptium)"
  say "  Fedora:          dnf install java-25-openjdk-devel"
  say "  macOS:           brew install --cask temurin@25"
  say "  anywhere:        sdk install java 25-tem          (https://sdkman.io)"
  say "or set GAUSS_JAVA_HOME to its directory. To have Gauss download one of its own:"
  say "  ./gauss --yes up   (or GAUSS_JDK_DOWNLOAD=yes)"
}

# ---- the pinned build

# A word of the table that is the same for all platforms: release, from.
jdk_value() {
  sed -n "s/^$1 //p" "$jdk_table"
}

jdk_platform() {
  local system machine
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=mac ;;
    *) system=$(uname -s) ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) machine=$(uname -m) ;;
  esac
  printf '%s-%s' "$system" "$machine"
}

# Prints the checksum and the archive for this platform; fails when the table has none.
jdk_pinned() {
  local line
  line=$(grep "^$(jdk_platform) " "$jdk_table") && printf '%s' "${line#* }"
}

jdk_downloaded() {
  local directory=$jdk_store/$(jdk_value release)
  # On macOS the archive holds a bundle.
  for directory in "$directory" "$directory/Contents/Home"; do
    if is_jdk25 "$directory"; then
      printf '%s' "$directory"
      return 0
    fi
  done
  return 1
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 <"$1"
  else
    openssl dgst -sha256 -r <"$1"
  fi | cut -d ' ' -f 1
}

fetch() {
  if command -v curl >/dev/null; then
    local progress=--silent
    if [ -t 2 ]; then
      progress=--progress-bar
    fi
    curl --fail --location --show-error $progress --connect-timeout 30 \
      --speed-limit 1 --speed-time 60 --output "$2" "$1" >&2
  elif command -v wget >/dev/null; then
    wget --quiet --tries 3 --timeout 30 --output-document "$2" "$1" >&2
  else
    say "gauss: neither curl nor wget is here to download a JDK."
    return 1
  fi
}

# Downloads beside the place where the JDK will be, checks, unpacks, and only then renames: what is
# found there is complete. Ends the (sub)shell that it runs in.
download_jdk() {
  local pinned expected archive url
  if ! pinned=$(jdk_pinned); then
    say "gauss: there is no pinned JDK for $(jdk_platform) in ${jdk_table##*/}."
    jdk_advice
    exit 1
  fi
  expected=${pinned%% *}
  archive=${pinned#* }
  url=${GAUSS_JDK_MIRROR:-$(jdk_value from)}
  url=${url%/}/$archive
  mkdir -p "$jdk_store" || exit 1
  remove_dead_downloads
  jdk_download=$jdk_store/.download.$$
  # A signal that comes meanwhile must not end this before it has removed anything.
  trap 'trap "" HUP INT TERM; rm -rf "$jdk_download"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  mkdir "$jdk_download" || exit 1
  say "gauss: downloading $url"
  if ! fetch "$url" "$jdk_download/archive"; then
    say "gauss: the download failed; nothing was kept. GAUSS_JDK_MIRROR may name another place that has $archive."
    exit 1
  fi
  local actual
  actual=$(sha256 "$jdk_download/archive")
  if [ "$actual" != "$expected" ]; then
    say "gauss: what came from $url is not the pinned JDK (or only a part of it); nothing was kept."
    say "  SHA-256 expected: $expected"
    say "  SHA-256 received: $actual"
    exit 1
  fi
  if ! mkdir "$jdk_download/unpacked" || ! tar -xzf "$jdk_download/archive" -C "$jdk_download/unpacked"; then
    say "gauss: $archive could not be unpacked in $jdk_store; nothing was kept."
    exit 1
  fi
  local unpacked java_home
  unpacked=$(echo "$jdk_download"/unpacked/*)
  java_home=$unpacked
  if [ -d "$unpacked/Contents/Home" ]; then
    java_home=$unpacked/Contents/Home
  fi
  # A system with another C library than the build's (Alpine) gets as far as here.
  if ! is_jdk25 "$java_home" || ! "$java_home/bin/java" -version >/dev/null 2>&1; then
    say "gauss: $archive does not run on this system; nothing was kept."
    jdk_advice
    exit 1
  fi
  local release target
  release=$(jdk_value release)
  target=$jdk_store/$release
  if [ -e "$target" ] && ! jdk_downloaded >/dev/null; then
    # Somebody broke it.
    mv "$target" "$jdk_download/broken" || exit 1
  fi
  # Into the directory of all JDKs, not to a path: it fails when another process was faster, whose JDK may be in use,
  # and is never moved into that one.
  if [ "${unpacked##*/}" != "$release" ]; then
    mv "$unpacked" "$jdk_download/$release" || exit 1
    unpacked=$jdk_download/$release
  fi
  if ! mv "$unpacked" "$jdk_store/" 2>/dev/null && ! jdk_downloaded >/dev/null; then
    say "gauss: the JDK could not be moved to $target."
    exit 1
  fi
  say "gauss: Eclipse Temurin $(jdk_value release) is in $target"
  exit 0
}

# A killed process could not remove its own.
remove_dead_downloads() {
  local left
  for left in "$jdk_store"/.download.*; do
    if [ -d "$left" ] && ! kill -0 "${left##*.}" 2>/dev/null; then
      rm -rf "$left"
    fi
  done
}
