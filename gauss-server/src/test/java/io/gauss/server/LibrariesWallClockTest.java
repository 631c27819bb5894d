package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.Timer;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.ServerImplUtils;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.util.Timestamp;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDB;

/**
 * Which classes of the libraries that keep clusters together ask what the wall clock says. Our own
 * ask nowhere (see {@code StorageArchitectureTest}). What each does with the answer was looked up
 * and is in docs/protocols/membership.md; a new version of a library that asks elsewhere has to be
 * looked at before it may be used, and this test says where.
 */
class LibrariesWallClockTest {
  private static final String RATIS = "org.apache.ratis.";
  private static final String SHADED = RATIS + "thirdparty.";

  /** Of Ratis itself. */
  private static final Set<String> RATIS_ASKS =
      Set.of(
          // Names of directories, texts for people.
          RATIS + "util.JavaUtils",
          RATIS + "util.StringUtils",
          // java.util.Timer: timeouts of single requests. See below who uses it.
          RATIS + "util.TimeoutTimer");

  /** Who has timeouts that come early or late when the wall clock is set. */
  private static final Set<String> RATIS_TIMEOUTS =
      Set.of(
          RATIS + "client.impl.OrderedAsync",
          RATIS + "client.impl.RaftClientImpl",
          RATIS + "client.impl.UnorderedAsync",
          RATIS + "server.impl.PendingStepDown",
          RATIS + "server.impl.ReadRequests$ReadIndexQueue",
          RATIS + "server.impl.SnapshotManagementRequestHandler",
          RATIS + "server.impl.TransferLeadership",
          RATIS + "server.impl.WatchRequests",
          RATIS + "server.impl.WatchRequests$WatchQueue",
          RATIS + "util.BatchLogger");

  /** Of Ratis's Guava and protobuf: a seed, names of files, and what Ratis does not use. */
  private static final Set<String> BROUGHT_ASKS =
      Set.of(
          SHADED + "com.google.common.hash.Hashing",
          SHADED + "com.google.common.io.Files",
          SHADED + "com.google.common.io.MoreFiles",
          SHADED + "com.google.common.io.TempFileCreator$JavaIoCreator",
          SHADED + "com.google.common.util.concurrent.ForwardingCondition",
          SHADED + "com.google.protobuf.util.Timestamps");

  /** Of Netty: seeds, names, and what is not used here (OpenSSL, traffic shaping, pcap, HTTP). */
  private static final Set<String> NETTY_ASKS =
      Set.of(
          "io.netty.channel.DefaultChannelId",
          "io.netty.handler.pcap.PcapWriter",
          "io.netty.handler.ssl.OpenSslClientSessionCache",
          "io.netty.handler.ssl.OpenSslSessionCache",
          "io.netty.handler.ssl.OpenSslSessionCache$NativeSslSession",
          "io.netty.handler.ssl.OpenSslX509KeyManagerFactory$OpenSslKeyStore$1",
          "io.netty.handler.ssl.util.SelfSignedCertificate",
          "io.netty.handler.traffic.TrafficCounter",
          "io.netty.util.internal.ThreadLocalRandom");

  private static Path jar(Class<?> one) {
    return Path.of(URI.create(one.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  /** Classes of the archives that some of these are in, of which something holds. */
  private static Set<String> classes(Predicate<ClassModel> which, Class<?>... inArchivesOf)
      throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path path :
        List.of(inArchivesOf).stream().map(LibrariesWallClockTest::jar).distinct().toList()) {
      try (JarFile jar = new JarFile(path.toFile())) {
        for (JarEntry entry : Collections.list(jar.entries())) {
          if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")) {
            ClassModel parsed = ClassFile.of().parse(jar.getInputStream(entry).readAllBytes());
            if (which.test(parsed)) {
              found.add(parsed.thisClass().asInternalName().replace('/', '.'));
            }
          }
        }
      }
    }
    return found;
  }

  private static boolean refers(ClassModel to, Predicate<PoolEntry> what) {
    return StreamSupport.stream(to.constantPool().spliterator(), false).anyMatch(what);
  }

  private static boolean asksTheWallClock(ClassModel parsed) {
    return refers(
        parsed, entry -> entry instanceof MemberRefEntry member && isTheWallClock(member));
  }

  private static boolean isTheWallClock(MemberRefEntry member) {
    String name = member.name().stringValue();
    String owner = member.owner().asInternalName();
    return switch (owner) {
      case "java/lang/System" -> name.equals("currentTimeMillis");
      case "java/time/Clock" -> name.startsWith("system") || name.startsWith("tick");
      case "java/util/Date" -> name.equals("<init>") && member.type().stringValue().equals("()V");
      case "java/util/Timer" -> name.equals("<init>");
      case "java/util/concurrent/locks/LockSupport" -> name.equals("parkUntil");
      case "java/util/concurrent/locks/Condition" -> name.equals("awaitUntil");
      default -> owner.startsWith("java/time/") && name.equals("now");
    };
  }

  @Test
  void ratisAsksInItsTimerAndForNamesOnly() throws IOException {
    assertEquals(
        new TreeSet<>(RATIS_ASKS),
        classes(
            LibrariesWallClockTest::asksTheWallClock,
            RaftServer.class,
            ServerImplUtils.class,
            RaftConfigKeys.class,
            Timestamp.class,
            RaftClient.class));
  }

  @Test
  void noDecisionAboutWhoLeadsWaitsForTheTimer() throws IOException {
    Set<String> timeouts =
        classes(
            parsed ->
                refers(
                        parsed,
                        entry ->
                            entry instanceof ClassEntry used
                                && (used.asInternalName().endsWith("ratis/util/TimeoutExecutor")
                                    || used.asInternalName().endsWith("ratis/util/TimeoutTimer")))
                    && !parsed.thisClass().asInternalName().contains("ratis/util/Timeout"),
            RaftServer.class,
            ServerImplUtils.class,
            RaftConfigKeys.class,
            RaftClient.class);
    assertEquals(new TreeSet<>(RATIS_TIMEOUTS), timeouts);
  }

  /** Its gRPC and Netty are not used. */
  @Test
  void whatRatisBringsWithItAsksForSeedsAndNames() throws IOException {
    Set<String> asks = classes(LibrariesWallClockTest::asksTheWallClock, MessageLite.class);
    assertEquals(new TreeSet<>(BROUGHT_ASKS), withPrefix(asks, SHADED + "com.google."));
  }

  private static Set<String> withPrefix(Set<String> names, String prefix) {
    return names.stream()
        .filter(name -> name.startsWith(prefix))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void nettyAsksForSeedsAndNames() throws IOException {
    assertEquals(
        new TreeSet<>(NETTY_ASKS),
        classes(
            LibrariesWallClockTest::asksTheWallClock,
            Bootstrap.class,
            Timer.class,
            ByteBuf.class,
            SslHandler.class));
  }

  @Test
  void rocksDbsJavaPartDoesNotAsk() throws IOException {
    assertEquals(Set.of(), classes(LibrariesWallClockTest::asksTheWallClock, RocksDB.class));
  }

  @Test
  void aClassThatAsksIsFound() throws IOException {
    Set<String> asks = classes(LibrariesWallClockTest::asksTheWallClock, Timer.class);
    assertTrue(asks.contains("io.netty.util.internal.ThreadLocalRandom"), asks.toString());
  }
}
