package io.gauss.server.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.gauss.server.WithoutTests;
import java.util.List;

/**
 * Threads, time and random numbers come through {@code io.gauss.common.runtime.Environment} in all
 * that can be simulated: what does not, makes a run that no seed repeats. Nor is a process started.
 *
 * <p>Exempt is what a simulation replaces: sockets, files, RocksDB and Ratis.
 */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class EnvironmentArchitectureTest {
  private static final String[] SIMULATED = {
    "io.gauss.common..",
    "io.gauss.storage..",
    "io.gauss.memory..",
    "io.gauss.compute..",
    "io.gauss.router.."
  };

  private static final String[] REPLACED = {
    "io.gauss.common.runtime..",
    "io.gauss.common.transport.tcp..",
    "io.gauss.storage.disk..",
    "io.gauss.storage.local..",
    "io.gauss.storage.raft",
    "io.gauss.compute.pgwire.."
  };

  /** Classes of other packages that only those use. */
  private static final List<String> WITH_THEM =
      List.of(
          "io.gauss.common.config.NodeSettingTable", // sizes of what a simulation sets or replaces
          "io.gauss.common.task.Threads", // the threads that read RocksDB
          "io.gauss.compute.session.SessionServices", // the heap that clients may take
          "io.gauss.compute.row.LargeArrays", // and their very large rows
          "io.gauss.storage.node.RebuildService", // copies RocksDB's files
          "io.gauss.router.process.TrainingCommand", // the process that trains
          "io.gauss.router.process.TrainingChild");

  @ArchTest
  static final ArchRule ONE_DOOR =
      noClasses()
          .that()
          .resideInAnyPackage(SIMULATED)
          .and()
          .resideOutsideOfPackages(REPLACED)
          .and(describe("are not replaced with them", c -> !WITH_THEM.contains(outermost(c))))
          .should()
          .callCodeUnitWhere(
              describe("the environment is bypassed", EnvironmentArchitectureTest::isPastTheDoor))
          .because("a simulation decides when threads run and what time it is");

  private static String outermost(JavaClass type) {
    String name = type.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static boolean isPastTheDoor(JavaCall<?> call) {
    AccessTarget.CodeUnitCallTarget target = call.getTarget();
    String name = target.getName();
    return switch (target.getOwner().getName()) {
      case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
      case "java.lang.Math" -> name.equals("random");
      case "java.lang.Runtime" -> name.endsWith("Memory");
      case "java.lang.management.ManagementFactory" -> true;
      case "java.lang.ProcessBuilder" -> true;
      case "java.lang.Object" -> name.equals("wait") && isTimed(target);
      case "java.lang.Thread" ->
          switch (name) {
            case "<init>", "ofPlatform", "ofVirtual", "startVirtualThread", "sleep" -> true;
            default -> name.equals("join") && isTimed(target);
          };
      case "java.util.concurrent.ThreadLocalRandom", "java.util.concurrent.Executors" -> true;
      case "java.util.concurrent.ThreadPoolExecutor",
          "java.util.concurrent.ScheduledThreadPoolExecutor" ->
          name.equals("<init>");
      case "java.util.concurrent.locks.LockSupport" ->
          name.equals("parkNanos") || name.equals("parkUntil");
      default -> isTimedWait(target, name);
    };
  }

  private static boolean isTimedWait(AccessTarget.CodeUnitCallTarget target, String name) {
    if (!target.getOwner().getPackageName().startsWith("java.util.concurrent")) {
      return false;
    }
    return switch (name) {
      case "await", "awaitNanos", "get", "poll", "offer", "take", "tryAcquire", "tryLock" ->
          isTimed(target);
      default -> false;
    };
  }

  private static boolean isTimed(AccessTarget.CodeUnitCallTarget target) {
    return target.getRawParameterTypes().stream()
        .anyMatch(
            type ->
                type.getName().equals("long")
                    || type.getName().equals("java.util.concurrent.TimeUnit"));
  }
}
