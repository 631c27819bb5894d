# Builds Gauss with Maven. Sourced by ../gauss; expects $home, $jdk and say().
# shellcheck shell=bash

dist=$home/gauss-server/target/dist

# There from the end of a build to that of its training run, even if that fails: only an interrupted one is repeated. It
# has the launcher's process id, since others may start commands meanwhile.
untrained=$dist/.untrained

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
  if ! is_stale; then
    # Whoever runs what somebody else has installed may not be able to.
    if [ -f "$untrained" ] && [ -w "$dist" ] && ! kill -0 "$(cat "$untrained")" 2>/dev/null; then
      say "gauss: repeating a training run that was interrupted"
      train
    fi
    return 0
  fi
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
  mkdir -p "$dist" && echo $$ >"$untrained" && touch "$dist/.built"
  train
}

# The JVM's options that nodes have in common with the training run: the ahead-of-time cache is of no use to a JVM that
# opens other packages, or lays its objects out in another way.
jvm_opts=(
  -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
  # Chronicle Map (directory of memory nodes) looks into the JDK, and is not to report to its makers.
  --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
  --add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
  -Dchronicle.analytics.disable=true -Dchronicle.announcer.disable=true
)
aot_cache=$dist/gauss.aot

# In the order of their names: a cache is of no use with the same jars in another order, and that of a directory is
# another one wherever it is copied to. In a variable, since the JDK tells a process's arguments only up to 4,096 bytes.
set_class_path() {
  local jars
  jars=$(printf '%s\n' "$dist"/*.jar | LC_ALL=C sort | paste -s -d : -)
  export CLASSPATH=$jars
}

# A method that the training run has not compiled by C2 stays in slow code for longer in later JVMs than without a cache.
# So it profiles each at once, however many wait for C2, and compiles them after a fifth of the usual calls.
training_opts=(
  -XX:Tier3DelayOn=1000 -XX:Tier4LoadFeedback=1000
  -XX:Tier4InvocationThreshold=1000 -XX:Tier4MinInvocationThreshold=120 -XX:Tier4CompileThreshold=3000
  -XX:Tier4BackEdgeThreshold=10000
)

# Makes the cache with which nodes start in about half the processor time: classes as they are when loaded, and which
# methods were busy. A JVM takes it only with the same jars, and only if it is the same build of the JDK.
train() {
  local status=0 log=$home/target/training.log
  mkdir -p "$home/target" && echo $$ >"$untrained"
  rm -f "$aot_cache" "$aot_cache".*
  set_class_path
  training_data=$(mktemp -d)
  trap 'exit_interrupted 129' HUP
  trap 'exit_interrupted 130' INT
  trap 'exit_interrupted 143' TERM
  # In a process group of its own, since the JVM starts another one at its end. Its nodes are no nodes of the user's:
  # they must not take a port, or a setting that keeps a node from starting.
  set -m
  (
    for variable in ${!GAUSS_@}; do
      unset "$variable"
    done
    exec "$jdk/bin/java" "${jvm_opts[@]}" "${training_opts[@]}" -Xmx1g "-XX:AOTCacheOutput=$aot_cache.new" \
      -Xlog:aot=off \
      io.gauss.server.TrainingRun "$training_data/nodes"
  ) </dev/null >"$log" 2>&1 &
  training_jvm=$!
  set +m
  wait "$training_jvm" || status=$?
  training_jvm=
  trap - HUP INT TERM
  if [ "$status" = 0 ] && [ -f "$aot_cache.new" ]; then
    chmod a+r "$aot_cache.new"
    mv "$aot_cache.new" "$aot_cache"
  else
    say "gauss: nodes will start more slowly: there is no ahead-of-time cache; see $log"
  fi
  end_training
  rm -f "$untrained"
}

training_data=
training_jvm=

# Leaves no process and no file of the training run, whether it has ended or not.
end_training() {
  if [ -n "$training_jvm" ]; then
    kill -KILL -- "-$training_jvm" 2>/dev/null || true
    wait "$training_jvm" 2>/dev/null || true
  fi
  rm -rf "$training_data" "$aot_cache".*
}

exit_interrupted() {
  trap '' HUP INT TERM
  end_training
  exit "$1"
}
