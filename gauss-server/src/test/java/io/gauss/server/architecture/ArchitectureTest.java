package io.gauss.server.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.gauss.server.WithoutTests;

/** What single packages may not use, beyond what {@link Layers} says of all of them. */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class ArchitectureTest {
  /** Of the storage tier, memory nodes know how to reach it and the map that it keeps. */
  @ArchTest
  static final ArchRule MEMORY_BY_THE_MAP =
      classes()
          .that()
          .resideInAPackage("io.gauss.memory..")
          .should()
          .onlyDependOnClassesThat(
              resideOutsideOfPackage("io.gauss.storage..")
                  .or(
                      resideInAnyPackage(
                          "io.gauss.storage.api..",
                          "io.gauss.storage.map.api..",
                          "io.gauss.storage.map.client..",
                          "io.gauss.storage.map.command..")));

  /** A compute node has none of what runs in memory nodes, and these none of Chronicle's types. */
  @ArchTest
  static final ArchRule CHRONICLE_IN_THE_DIRECTORY =
      noClasses()
          .that()
          .resideInAPackage("io.gauss..")
          .and()
          .resideOutsideOfPackages("io.gauss.memory.directory..", "io.gauss.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("net.openhft..")
          .because("where entries lie is the directory's business alone");

  /** The coherence protocol is pure: it knows neither where entries lie nor how messages travel. */
  @ArchTest
  static final ArchRule COHERENCE_IS_PURE =
      classes()
          .that()
          .resideInAPackage("io.gauss.memory.coherence..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage("io.gauss.memory.coherence..", "io.gauss.common.id..", "java.."))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule ROUTING_KNOWS_NO_SQL =
      noClasses()
          .that()
          .resideInAPackage("io.gauss.compute.routing..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.gauss.compute..")
                  .and(
                      resideOutsideOfPackages(
                          "io.gauss.compute.routing..",
                          "io.gauss.compute.buffer..",
                          "io.gauss.compute.engine..",
                          "io.gauss.compute.mtr..",
                          "io.gauss.compute.peer..",
                          "io.gauss.compute.space..",
                          "io.gauss.compute.type..",
                          "io.gauss.compute.wait..")))
          .because(
              "sessions tell it what they run, system tables show what it knows, and pages are"
                  + " placed whatever is in them; what a transaction touched and waited for is"
                  + " counted by its context, in mtr and wait");

  @ArchTest
  static final ArchRule CLOCKS_KNOW_THE_LOG_ONLY =
      noClasses()
          .that()
          .resideInAPackage("io.gauss.compute.cluster.clock..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.gauss.compute..")
                  .and(
                      resideOutsideOfPackages(
                          "io.gauss.compute.cluster.clock..", "io.gauss.compute.log..")))
          .orShould()
          .dependOnClassesThat()
          .resideInAPackage("io.gauss.storage..")
          .because(
              "who decides about silent nodes, and who takes snapshots, is told by interfaces");

  @ArchTest
  static final ArchRule STORAGE_BY_ITS_INTERFACES =
      noClasses()
          .that()
          .resideInAPackage("io.gauss.compute..")
          .and()
          .resideOutsideOfPackages("io.gauss.compute.engine..", "io.gauss.compute.node..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.gauss.storage.local..")
          .because("replicated streams and page stores slot in behind the interfaces");

  @ArchTest
  static final ArchRule DRIVER_STANDS_ALONE =
      noClasses()
          .that()
          .resideInAPackage("io.gauss.jdbc..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.gauss.common..", "io.netty..")
          .because("applications load the driver, and nothing of the server with it");

  /** Compute nodes read statements as drivers do, and learn; connections are none of theirs. */
  @ArchTest
  static final ArchRule OF_THE_DRIVER_ONLY_ROUTING =
      noClasses()
          .that()
          .resideInAnyPackage("io.gauss.compute..", "io.gauss.router.train..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.gauss.jdbc..")
                  .and(resideOutsideOfPackage("io.gauss.jdbc.routing..")))
          .because("samples are made of what drivers would have seen");

  @ArchTest
  static final ArchRule TRANSPORT_BY_ITS_INTERFACES =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.gauss.common.transport..", "io.gauss.simulation") // has event loops of its own
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.gauss.common.transport.link..")
          .because("connections' internals may change without those who use them");

  @ArchTest
  static final ArchRule NETTY_IN_COMMON =
      noClasses()
          .that()
          .resideInAPackage("io.gauss.common..")
          .and()
          .resideOutsideOfPackage("io.gauss.common.transport..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..")
          .because("pages and redo know nothing of networks");
}
