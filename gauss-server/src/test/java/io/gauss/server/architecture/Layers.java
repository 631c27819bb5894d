package io.gauss.server.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which modules a module uses, and which packages of its own module a package uses: all uses that
 * there are, and no others. A new use is written here first, where a reviewer sees it; one that is
 * gone leaves the table.
 *
 * <p>Modules and the packages of a module are listed from the bottom up: each uses only what stands
 * above it on this page. A module's packages may use all of the modules that it uses, as far as
 * {@link ArchitectureTest} and {@link StorageArchitectureTest} allow. benchmarks-jmh is missing: it
 * is built after this module, and nothing can use it.
 *
 * @param modules from the bottom up
 */
record Layers(List<Module> modules) {
  /** Written by the parser generator, and of one piece with the package above it. */
  private static final String GENERATED = "io.gauss.compute.sql.parse.impl";

  static final Layers PRODUCT =
      new Layers(
          List.of(
              new Module(
                  "gauss-common",
                  "io.gauss.common",
                  "",
                  """
                  deadlock:
                  error:
                  fault:
                  file:
                  history:
                  health:
                  invariant:
                  runtime:
                  config: error
                  id: invariant
                  memory: invariant
                  task: error health runtime
                  page: error id invariant memory
                  redo: error id memory page
                  """),
              new Module(
                  "gauss-transport",
                  "io.gauss.common",
                  "gauss-common",
                  """
                  transport:
                  transport.link: transport
                  transport.session: transport
                  transport.local: transport transport.link
                  transport.tcp: transport transport.link transport.local
                  """),
              new Module(
                  "gauss-storage",
                  "io.gauss.storage",
                  "gauss-common gauss-transport",
                  """
                  api:
                  disk:
                  map.api:
                  apply: api
                  local.log: api disk
                  local.pages: api disk
                  map.command: map.api
                  wire: api
                  local: api apply disk local.log local.pages
                  map: map.api map.command
                  raft.rpc: wire
                  map.message: map.api map.command
                  raft: raft.rpc
                  map.codec: map.api map.command map.message
                  map.client: map.api map.codec map.command map.message
                  raft.stream: api raft wire
                  map.service: map map.api map.client map.codec map.command map.message
                  remote: api map.api map.client map.message raft.stream wire
                  raft.map: map.api map.codec map.message map.service raft raft.stream
                  node: api apply disk local local.pages map.api map.client map.codec map.command
                      map.message map.service raft raft.map raft.stream remote wire
                  """),
              new Module(
                  "gauss-memory",
                  "io.gauss.memory",
                  "gauss-common gauss-transport gauss-storage",
                  """
                  bucket:
                  cache:
                  coherence:
                  directory: bucket coherence
                  lock:
                  wire: coherence lock
                  holder: coherence wire
                  home: bucket cache coherence directory lock wire
                  node: bucket cache coherence directory home lock wire
                  """),
              new Module(
                  "gauss-engine",
                  "io.gauss.compute",
                  "gauss-common gauss-transport gauss-storage gauss-memory",
                  """
                  peer:
                  txn.base:
                  txn.wire:
                  wait:
                  log: wait
                  cluster.clock: log
                  mtr: log wait
                  buffer: log mtr wait
                  cluster.memory: buffer log peer
                  space: buffer mtr wait
                  engine: buffer log mtr space wait
                  tree: buffer mtr space wait
                  txn.undo: buffer log mtr space txn.base wait
                  txn: buffer engine log mtr peer space txn.base txn.undo txn.wire wait
                  cluster.lock: cluster.memory peer txn
                  store: buffer engine log mtr space tree txn txn.undo wait
                  """),
              new Module(
                  "gauss-sql",
                  "io.gauss.compute",
                  "gauss-common gauss-transport gauss-memory gauss-engine",
                  """
                  auth:
                  routing.data:
                  type:
                  catalog: type
                  routing.wire: routing.data
                  row: type
                  catalog.statistics: catalog row type
                  expr: row type
                  routing: routing.data routing.wire type
                  keys: catalog routing routing.data row type
                  sql.parse: catalog type
                  expr.call: expr row type
                  sql.copy: expr row sql.parse type
                  sql.exec.row: expr row type
                  expr.array: expr expr.call type
                  expr.json: expr expr.call type
                  expr.number: expr expr.call row type
                  expr.text: expr expr.call type
                  sql.exec.spill: row sql.exec.row type
                  sql.exec.deferred: catalog row sql.exec.row sql.exec.spill type
                  sql.state: catalog routing routing.data sql.copy
                  expr.time: expr expr.call expr.number type
                  sql.exec.table: catalog expr row sql.exec.row sql.parse sql.state type
                  expr.aggregate: expr expr.call expr.number expr.time type
                  sql.exec: expr row sql.copy sql.exec.deferred sql.exec.row sql.exec.spill
                      sql.exec.table type
                  expr.library: expr expr.aggregate expr.array expr.call expr.json expr.number
                      expr.text expr.time type
                  sql.exec.function: expr expr.call expr.json expr.text row sql.exec sql.exec.row
                      type
                  sql.exec.node: catalog expr expr.call sql.exec sql.exec.row type
                  sql.system: catalog routing routing.data row sql.copy sql.exec sql.exec.table
                      sql.parse sql.state type
                  sql.algebra: catalog expr expr.call sql.exec sql.exec.node sql.parse type
                  sql.exec.scan: catalog expr row sql.exec sql.exec.node sql.exec.row
                      sql.exec.table type
                  sql.exec.window: expr expr.call row sql.exec sql.exec.node sql.exec.row
                      sql.exec.spill type
                  sql.bind.syntax: catalog sql.parse
                  sql.bind.type: expr expr.call sql.algebra type
                  sql.bind.set: expr expr.call sql.algebra sql.bind.type sql.exec
                      sql.exec.function type
                  sql.bind: catalog expr.aggregate expr.call expr.json sql.algebra sql.bind.set
                      sql.bind.syntax sql.bind.type sql.copy sql.exec sql.exec.function
                      sql.exec.node sql.parse sql.system type
                  sql.exec.aggregate: expr expr.call row sql.exec sql.exec.node sql.exec.row
                      sql.exec.spill type
                  sql.exec.dml: catalog expr row sql.copy sql.exec sql.exec.deferred
                      sql.exec.node sql.exec.row sql.exec.scan sql.exec.spill sql.exec.table type
                  sql.exec.build: catalog expr row sql.exec sql.exec.dml sql.exec.row
                      sql.exec.scan sql.exec.spill sql.exec.table type
                  sql.exec.join: expr row sql.exec sql.exec.node sql.exec.row sql.exec.spill type
                  ddl: auth catalog catalog.statistics expr row sql.exec sql.exec.build
                      sql.exec.deferred sql.exec.row sql.exec.table sql.parse type
                  sql.exec.run: expr row sql.exec sql.exec.aggregate sql.exec.dml sql.exec.join
                      sql.exec.node sql.exec.row sql.exec.scan sql.exec.spill sql.exec.window
                  sql.plan.cost: catalog catalog.statistics expr.call row sql.algebra type
                  sql.plan.rewrite: expr.call sql.algebra sql.exec.node type
                  sql.plan: catalog expr expr.call routing row sql.algebra sql.bind sql.bind.syntax
                      sql.copy sql.exec sql.exec.node sql.exec.row sql.exec.run sql.exec.table
                      sql.parse sql.plan.cost sql.plan.rewrite sql.state sql.system type
                  """),
              new Module(
                  "gauss-compute",
                  "io.gauss.compute",
                  "gauss-common gauss-transport gauss-storage gauss-memory gauss-engine gauss-sql",
                  """
                  notify.wire:
                  notify: notify.wire
                  session.message:
                  session.prepared:
                  session.setting:
                  session.wire:
                  session: notify session.message session.prepared session.setting session.wire
                  pgwire: session session.message session.wire
                  node: notify notify.wire pgwire session
                  """),
              new Module(
                  "gauss-simulation",
                  "io.gauss",
                  "gauss-common gauss-transport gauss-storage gauss-memory gauss-engine gauss-sql"
                      + " gauss-compute",
                  """
                  simulation:
                  simulation.storage: simulation
                  simulation.cluster: simulation simulation.storage
                  """),
              new Module(
                  "gauss-routing",
                  "io.gauss.jdbc",
                  "",
                  """
                  routing.statement:
                  routing.model: routing.statement
                  routing: routing.model routing.statement
                  """),
              new Module(
                  "gauss-jdbc",
                  "io.gauss",
                  "gauss-routing",
                  """
                  jdbc.cluster:
                  jdbc.delegate:
                  jdbc.text:
                  jdbc: jdbc.cluster jdbc.delegate jdbc.text
                  """),
              new Module(
                  "gauss-router-train",
                  "io.gauss.router",
                  "gauss-common gauss-routing",
                  """
                  network:
                  process: network
                  train: network
                  """),
              new Module(
                  "benchmarks",
                  "io.gauss",
                  "gauss-transport gauss-storage gauss-routing gauss-jdbc",
                  """
                  bench.cost:
                  bench.model:
                  bench.raft:
                  bench: bench.cost
                  bench.sysbench: bench
                  bench.tpcb: bench
                  bench.ycsb: bench
                  bench.routing: bench bench.cost bench.ycsb
                  bench.tpcc: bench bench.routing
                  """),
              new Module(
                  "gauss-server",
                  "io.gauss",
                  "gauss-common gauss-transport gauss-storage gauss-memory gauss-engine gauss-sql"
                      + " gauss-compute gauss-routing gauss-router-train benchmarks",
                  """
                  server.chaos:
                  server.join:
                  server.log:
                  server.routing:
                  server: server.chaos server.join server.routing
                  """)));

  /**
   * @param root the common beginning of its packages' names
   * @param uses other modules, separated by blanks
   * @param packages a line for each package, without the root: "package: packages of this module
   *     that it uses"; lines without a colon continue the one before
   */
  record Module(String name, String root, String uses, String packages) {
    Set<String> usedModules() {
      return words(uses);
    }

    /** By package, with full names: the packages of this module that it uses. */
    Map<String, Set<String>> usedPackages() {
      Map<String, Set<String>> used = new TreeMap<>();
      Set<String> current = null;
      for (String line : packages.lines().toList()) {
        int colon = line.indexOf(':');
        if (colon >= 0) {
          current = new TreeSet<>();
          if (used.put(root + "." + line.substring(0, colon), current) != null) {
            throw new IllegalArgumentException("twice in " + name + ": " + line);
          }
        }
        for (String word : words(line.substring(colon + 1))) {
          current.add(root + "." + word);
        }
      }
      return used;
    }

    private static Set<String> words(String text) {
      String stripped = text.strip();
      return stripped.isEmpty() ? Set.of() : new TreeSet<>(List.of(stripped.split(" +")));
    }
  }

  /** The package of a class, as the table knows it. */
  static String packageOf(JavaClass type) {
    String name = type.getBaseComponentType().getPackageName();
    return name.equals(GENERATED) ? name.substring(0, name.lastIndexOf('.')) : name;
  }

  /**
   * @return a line for each difference between the table and the classes, sorted: unknown packages,
   *     uses that are not declared (with an example), and declarations that nothing needs
   */
  Set<String> differences(Iterable<JavaClass> classes) {
    Map<String, Module> moduleOf = new HashMap<>();
    Set<String> unused = new TreeSet<>();
    for (Module module : modules) {
      module
          .usedPackages()
          .forEach(
              (from, used) -> {
                if (moduleOf.put(from, module) != null) {
                  throw new IllegalArgumentException("in two modules: " + from);
                }
                unused.add("nothing is in " + from);
                used.forEach(to -> unused.add(unused(from, to)));
              });
      module.usedModules().forEach(to -> unused.add(unused(module.name(), to)));
    }
    Map<String, String> found = new TreeMap<>();
    for (JavaClass type : classes) {
      String from = packageOf(type);
      Module module = moduleOf.get(from);
      if (module == null) {
        found.put("not in the table: " + from, "");
        continue;
      }
      unused.remove("nothing is in " + from);
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String to = packageOf(dependency.getTargetClass());
        Module target = moduleOf.get(to);
        if (target == null || to.equals(from)) {
          continue;
        }
        boolean isInside = target.equals(module);
        String user = isInside ? from : module.name();
        String used = isInside ? to : target.name();
        unused.remove(unused(user, used));
        boolean isDeclared =
            isInside
                ? module.usedPackages().get(from).contains(to)
                : module.usedModules().contains(target.name());
        if (!isDeclared) {
          found.putIfAbsent(user + " uses " + used, ": " + dependency.getDescription());
        }
      }
    }
    Set<String> all = new TreeSet<>(unused);
    found.forEach((use, example) -> all.add(use + example));
    return all;
  }

  private static String unused(String from, String to) {
    return from + " is declared to use " + to + " and does not";
  }
}
