# Builds Gauss with Maven. Sourced by ../gauss; expects $home, $jdk and say().
# shellcheck shell=bash

dist=$home/gauss-server/target/dist

maven() {
  local version
  version=$(mvn -version 2>/dev/null | sed -n 's/^.*Apache Maven \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
  case $version in
    3.[89] | 3.[1-9][0-9] | [4-9].*) (cd "$home" && JAVA_HOME=$jdk mvn "$@") ;;
    *) (cd "$home" && JAVA_HOME=$jdk ./mvnw "$@") ;;
  esac
}

# The modules as pom.xml has them, one a line.
modules() {
  sed -n 's|^ *<module>\(.*\)</module>.*$|\1|p' "$home/pom.xml"
}

is_stale() {
  [ -f "$home/pom.xml" ] || return 1 # installed without its sources: nothing to build
  [ ! -f "$dist/.built" ] && return 0
  [ -n "$(find "$home/pom.xml" "$home"/*/pom.xml "$home"/*/src/main -newer "$dist/.built" -type f -print -quit)" ]
}

build_if_stale() {
  is_stale || return 0
  say "gauss: building (the first time takes a few minutes, since dependencies are downloaded)"
  build -Dchecks.skip=true
}

# Maven's answers are long: only the modules are told, and the errors.
build() {
  local log=$home/target/build.log
  mkdir -p "$home/target"
  # All jars there are the class path: none may stay that the product does not need any more.
  rm -f "$dist/.built" "$dist"/*.jar
  if ! maven -B -DskipTests package "$@" 2>&1 | tee "$log" |
    sed -n -u 's/^.*Building \(.*\) [0-9][^ ]* *\(\[[0-9]*\/[0-9]*\]\).*$/  \2 \1/p' >&2; then
    grep -E 'ERROR' "$log" | head -n 20 >&2 || true
    say "gauss: the build failed; see $log"
    return 1
  fi
  mkdir -p "$dist" && touch "$dist/.built"
}
