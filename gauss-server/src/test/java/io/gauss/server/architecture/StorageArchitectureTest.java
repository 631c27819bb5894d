package io.gauss.server.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.gauss.server.WithoutTests;
import java.util.Set;
import java.util.concurrent.Executor;

/** Which package of the storage tier may use which, and by which clock the cluster lives. */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class StorageArchitectureTest {
  private static final String STORAGE = "io.gauss.storage.";

  /** Interfaces, formats and the disk are below everything else. */
  @ArchTest static final ArchRule FOUNDATIONS = mayUse("api|disk|wire|map.api");

  @ArchTest static final ArchRule APPLY = mayUse("apply", "api");

  /** The log knows nothing of pages, nor the pages of the log; what is local has both. */
  @ArchTest static final ArchRule LOCAL_LOG = mayUse("local.log", "api", "disk");

  @ArchTest static final ArchRule LOCAL_PAGES = mayUse("local.pages", "api", "disk");

  @ArchTest
  static final ArchRule LOCAL = mayUse("local", "local.log", "local.pages", "api", "apply", "disk");

  /** What a group does is not the server's business. */
  @ArchTest static final ArchRule RAFT = mayUse("raft", "raft.rpc");

  /** What carries messages knows nothing of what keeps their promises. */
  @ArchTest static final ArchRule RAFT_MESSAGES = mayUse("raft.rpc", "wire");

  @ArchTest static final ArchRule STREAMS = mayUse("raft.stream", "api", "raft", "wire");

  @ArchTest
  static final ArchRule MAP_IN_A_GROUP = mayUse("raft.map", "map..", "raft", "raft.stream");

  /** The rules of the map are pure functions of the map and a command. */
  @ArchTest static final ArchRule MAP_RULES = mayUse("map", "map.api", "map.command");

  @ArchTest static final ArchRule MAP_COMMANDS = mayUse("map.command", "map.api");

  @ArchTest
  static final ArchRule MAP_CLIENTS =
      mayUse("map.client", "map.api", "map.codec", "map.command", "map.message");

  /** The map knows nothing of what keeps it, nor of streams and pages. */
  @ArchTest static final ArchRule MAP_SERVICE = mayUse("map.service", "map..");

  /** A client of storage nodes has none of what runs in them. */
  @ArchTest static final ArchRule REMOTE = mayUse("remote", "api", "map..", "raft.stream", "wire");

  @ArchTest
  static final ArchRule NODE_IS_ON_TOP =
      noClasses()
          .that()
          .resideInAPackage("io.gauss.storage..")
          .and()
          .resideOutsideOfPackage(STORAGE + "node..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(STORAGE + "node..");

  @ArchTest
  static final ArchRule RATIS_IN_RAFT =
      noClasses()
          .that()
          .resideOutsideOfPackages(STORAGE + "raft..", "io.gauss.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.ratis..")
          .because("the consensus may be replaced without those who use it");

  @ArchTest
  static final ArchRule ROCKSDB_IN_LOCAL =
      noClasses()
          .that()
          .resideOutsideOfPackage(STORAGE + "local..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.rocksdb..")
          .because("where pages lie is the page store's business alone");

  @ArchTest
  static final ArchRule NETTY_WHERE_MESSAGES_ARE =
      noClasses()
          .that()
          .resideInAnyPackage(
              STORAGE + "api..",
              STORAGE + "apply..",
              STORAGE + "disk..",
              STORAGE + "local..",
              STORAGE + "map",
              STORAGE + "map.api..",
              STORAGE + "map.command..",
              STORAGE + "map.message..",
              STORAGE + "raft")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  /**
   * Leases, timeouts and pauses are measured by monotonic time, so that a wall clock that is set
   * changes nothing. Only what people and SQL see may ask for the time of day.
   */
  @ArchTest
  static final ArchRule NO_WALL_CLOCK =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.gauss.common..", "io.gauss.storage..", "io.gauss.memory..", "io.gauss.compute..")
          .and()
          .doNotHaveFullyQualifiedName("io.gauss.compute.node.ComputeNode")
          .and()
          .resideOutsideOfPackage("io.gauss.common.runtime..")
          .should()
          .callCodeUnitWhere(describe("the wall clock is read", StorageArchitectureTest::asksTime));

  private static final Set<String> TIMES_OF_DAY =
      Set.of(
          "io.gauss.common.runtime.Environment",
          "java.time.Clock",
          "java.time.Instant",
          "java.time.LocalDate",
          "java.time.LocalDateTime",
          "java.time.LocalTime",
          "java.time.OffsetDateTime",
          "java.time.OffsetTime",
          "java.time.ZonedDateTime");

  /** Methods that give the time of day, or wait until one. */
  private static boolean asksTime(JavaCall<?> call) {
    AccessTarget target = call.getTarget();
    String owner = target.getOwner().getName();
    String name = target.getName();
    return switch (owner) {
      case "java.lang.System" -> name.equals("currentTimeMillis");
      case "java.util.concurrent.locks.LockSupport" -> name.equals("parkUntil");
      case "java.util.Calendar" -> name.equals("getInstance");
      case "java.util.Timer", "java.util.Date" -> name.equals("<init>");
      default ->
          name.equals("awaitUntil")
              || TIMES_OF_DAY.contains(owner) && (name.equals("now") || name.startsWith("system"));
    };
  }

  /**
   * The common pool has one thread on a machine with two cores, and everything in the JVM shares
   * it: what blocks there holds up whatever else needs it.
   */
  @ArchTest
  static final ArchRule NO_COMMON_POOL =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.gauss.common..", "io.gauss.storage..", "io.gauss.memory..", "io.gauss.compute..")
          .should()
          .callCodeUnitWhere(
              describe("the common pool is used", StorageArchitectureTest::usesCommonPool))
          .because("io.gauss.common.task.Later does the same with a thread for each");

  private static boolean usesCommonPool(JavaCall<?> call) {
    AccessTarget.CodeUnitCallTarget target = call.getTarget();
    String name = target.getName();
    return switch (target.getOwner().getName()) {
      case "java.util.concurrent.CompletableFuture", "java.util.concurrent.CompletionStage" ->
          switch (name) {
            case "orTimeout", "completeOnTimeout", "delayedExecutor" -> true;
            default ->
                name.endsWith("Async")
                    && target.getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Executor.class));
          };
      case "java.util.concurrent.ForkJoinPool" -> name.equals("commonPool");
      default -> name.equals("parallelStream") || name.equals("parallel");
    };
  }

  /**
   * @param from packages of the storage tier, separated by bars, that may use themselves and these
   *     of it only
   */
  private static ArchRule mayUse(String from, String... used) {
    String[] sources = from.split("\\|");
    String[] allowed = new String[sources.length + used.length];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = STORAGE + sources[i];
      allowed[i] = sources[i];
    }
    for (int i = 0; i < used.length; i++) {
      allowed[sources.length + i] = STORAGE + used[i];
    }
    return classes()
        .that()
        .resideInAnyPackage(sources)
        .should()
        .onlyDependOnClassesThat(outsideOfStorageOr(allowed));
  }

  private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaClass> outsideOfStorageOr(
      String... allowed) {
    return com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage(
            "io.gauss.storage..")
        .or(com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage(allowed));
  }
}
