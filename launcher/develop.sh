# Commands for those who change Gauss: build, test, format. See CONTRIBUTING.md. Sourced by ../gauss.
# shellcheck shell=bash

# Usage of one of the commands.
develop_usage() {
  case $1 in
    build)
      cat <<'END'
Usage: gauss build [--checks] [MAVEN-OPTION...]
Compiles and packages everything into gauss-server/target/dist.
      --checks   Also static analysis.
  -h, --help     Show this help message and exit.
Other arguments that begin with - are passed to Maven.
END
      ;;
    test)
      cat <<'END'
Usage: gauss test [--long] [MODULE...] [MAVEN-OPTION...]
Runs the tests of these modules, which may be named without "gauss-"; without any, builds everything, with static
analysis, and runs all tests.
      --long            Also the tests that take hours.
      -Dtest=NAME,...   Only these classes (NAME#method, Name*).
  -h, --help            Show this help message and exit.
Other arguments that begin with - are passed to Maven.
END
      ;;
    format)
      cat <<'END'
Usage: gauss format [--check] [--all | FILE...]
Formats these Java files; without any, those that differ from the last commit.
      --all      Every Java file.
      --check    Changes nothing; fails when a file is not formatted.
  -h, --help     Show this help message and exit.
END
      ;;
  esac
}

# ./gauss build [--checks] [MAVEN-OPTION...]
run_build() {
  local checks='' args=() a
  for a in "$@"; do
    case $a in
      --checks) checks=yes ;;
      -*) args+=("$a") ;;
      *) say "gauss build: unknown argument $a (known: --checks, options of Maven)"; exit 2 ;;
    esac
  done
  if [ -z "$checks" ]; then
    args+=(-Dchecks.skip=true)
  fi
  # bash 3.2 takes an empty array for an unset one.
  build ${args[@]+"${args[@]}"}
  say "gauss: built in ${dist#"$home"/}"
}

# ./gauss test [--long] [--machines] [MODULE...] [MAVEN-OPTION...]
run_tests() {
  local args=(-B) chosen='' a
  for a in "$@"; do
    case $a in
      --long) args+=(-Dtest.groups.excluded=machines) ;;
      --machines)
        # They start what is built, as a user does, and not what is under test.
        build_if_stale
        args+=(-Dtest.groups.excluded=none -Dtest=MachinesTest)
        chosen=gauss-server,
        ;;
      -*) args+=("$a") ;;
      *) chosen+="$(module_named "$a")," || exit 2 ;;
    esac
  done
  local status=0 begun=$home/target/tests.begun
  mkdir -p "$home/target" && : >"$begun"
  if [ -z "$chosen" ]; then
    # Modules that do not need each other at once. Most of the time only one has all that it needs:
    # its tests run in two JVMs, and in three where they are mostly waited for.
    maven -T 2 verify -Dtest.forks.awaited=2 -Dtest.forks.waiting=3 "${args[@]}" || status=$?
  else
    test_modules "${chosen%,}" "${args[@]}" || status=$?
  fi
  tell_failures "$begun"
  return "$status"
}

# Maven tells which tests have failed somewhere among thousands of lines, other modules' between them: once more at the
# end, where those look who see only that.
tell_failures() {
  local report
  for report in "$home"/*/target/surefire-reports/*.txt; do
    [ "$report" -nt "$1" ] || continue
    # Each with the first lines of its message; the stack is in the report.
    grep -A 3 -E '<<< (FAILURE|ERROR)!$' "$report" | grep -v -E '^(Tests run:|--$|[[:space:]]*at )' >&2 || true
  done
}

# A module by its name or by what follows "gauss-" in it.
module_named() {
  local module
  for module in "$1" "gauss-$1"; do
    if modules | grep -qxF -- "$module"; then
      printf '%s' "$module"
      return 0
    fi
  done
  say "gauss test: there is no module $1 (known: $(modules | tr '\n' ' ')and the options --long, --machines)"
  return 1
}

# The modules that these need are compiled, but only the tests of these are run: Maven has no option
# for that, so their test classes are named. Static analysis is left to the whole run.
test_modules() {
  local chosen=$1 a
  shift
  local args=(-pl "$chosen" -am test -Dchecks.skip=true -Dsurefire.failIfNoSpecifiedTests=false)
  for a in "$@"; do
    case $a in
      -Dtest=*) ;;
      *) continue ;;
    esac
    maven "${args[@]}" "$@"
    return
  done
  maven "${args[@]}" "-Dtest=$(test_classes "$chosen")" "$@"
}

test_classes() {
  local module
  for module in ${1//,/ }; do
    (cd "$home/$module/src/test/java" && find . -name '*Test.java' | sed 's|^\./||; s|\.java$||')
  done | sort | paste -s -d , -
}

# ./gauss format [--check] [--all | FILE...]
run_format() {
  local check='' all='' files=() a
  for a in "$@"; do
    case $a in
      --check) check=yes ;;
      --all) all=yes ;;
      -*) say "gauss format: unknown option $a (known: --check, --all)"; exit 2 ;;
      *) files+=("$(cd "$(dirname "$a")" && pwd)/${a##*/}") ;;
    esac
  done
  if [ ${#files[@]} -eq 0 ]; then
    while IFS= read -r a; do
      [ -f "$home/$a" ] && files+=("$home/$a")
    done < <(if [ -n "$all" ]; then all_sources; else changed_sources; fi)
  fi
  if [ ${#files[@]} -eq 0 ]; then
    say "gauss: no Java file has changed since the last commit (--all formats every one)"
    return 0
  fi
  local classpath=$home/target/format.classpath
  if [ ! -s "$classpath" ] || [ "$home/pom.xml" -nt "$classpath" ]; then
    maven -q -B -N -Pformat dependency:build-classpath "-Dmdep.outputFile=$classpath"
  fi
  local exports=() package
  for package in api code file parser tree util; do
    exports+=("--add-exports=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED")
  done
  local mode=(--replace)
  if [ -n "$check" ]; then
    mode=(--dry-run --set-exit-if-changed)
  fi
  printf '%s\0' "${files[@]}" | (cd "$home" && xargs -0 -n 500 "$jdk/bin/java" "${exports[@]}" \
    -cp "$(cat "$classpath")" com.google.googlejavaformat.java.Main "${mode[@]}") || {
    [ -z "$check" ] || say "gauss: these are not formatted; ./gauss format does it"
    exit 1
  }
}

all_sources() {
  (cd "$home" && find . -path '*/target/*' -prune -o -path '*/src/*.java' -print)
}

changed_sources() {
  (
    cd "$home"
    git diff --name-only --relative HEAD -- '*.java'
    git ls-files --others --exclude-standard -- '*.java'
  )
}
