package io.gauss.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which module and package may use which. */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule MODULES =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("common")
          .definedBy("io.gauss.common..")
          .layer("storage")
          .definedBy("io.gauss.storage..")
          .layer("memory")
          .definedBy("io.gauss.memory..")
          .layer("compute")
          .definedBy("io.gauss.compute..")
          .layer("jdbc")
          .definedBy("io.gauss.jdbc..")
          .optionalLayer("train")
          .definedBy("io.gauss.router.train..")
          .layer("bench")
          .definedBy("io.gauss.bench..")
          .layer("server")
          .definedBy("io.gauss.server..")
          .whereLayer("server")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("bench")
          .mayOnlyBeAccessedByLayers("server")
          .whereLayer("jdbc")
          .mayOnlyBeAccessedByLayers("train", "compute", "server", "bench")
          .whereLayer("train")
          .mayOnlyBeAccessedByLayers("compute", "server", "bench")
          .whereLayer("compute")
          .mayOnlyBeAccessedByLayers("server", "bench")
          .whereLayer("memory")
          .mayOnlyBeAccessedByLayers("compute", "server", "bench")
          .whereLayer("storage")
          .mayOnlyBeAccessedByLayers("memory", "compute", "server", "bench");

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

  /** Inside a compute node, from the wire down to the buffer. */
  @ArchTest
  static final ArchRule COMPUTE_LAYERS =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("node")
          .definedBy("io.gauss.compute.node..")
          .layer("pgwire")
          .definedBy("io.gauss.compute.pgwire..")
          .layer("session")
          .definedBy("io.gauss.compute.session..")
          .layer("ddl")
          .definedBy("io.gauss.compute.ddl..")
          .layer("sql")
          .definedBy("io.gauss.compute.sql..")
          .layer("store")
          .definedBy("io.gauss.compute.store..")
          .layer("tree")
          .definedBy("io.gauss.compute.tree..")
          .layer("txn")
          .definedBy("io.gauss.compute.txn..")
          .layer("clock")
          .definedBy("io.gauss.compute.cluster.clock..")
          .whereLayer("node")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("pgwire")
          .mayOnlyBeAccessedByLayers("node")
          .whereLayer("clock")
          .mayOnlyBeAccessedByLayers("node")
          .whereLayer("ddl")
          .mayOnlyBeAccessedByLayers("session", "node")
          .whereLayer("tree")
          .mayOnlyBeAccessedByLayers("store", "sql", "node");

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
                          "io.gauss.compute.peer..",
                          "io.gauss.compute.space..",
                          "io.gauss.compute.type..")))
          .because(
              "sessions tell it what they run, system tables show what it knows, and pages are"
                  + " placed whatever is in them");

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
          .resideOutsideOfPackage("io.gauss.common.transport..")
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
