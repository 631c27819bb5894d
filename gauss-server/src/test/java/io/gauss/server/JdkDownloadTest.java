package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher on a machine that has no JDK 25: it runs a copy of {@code gauss} that looks nowhere
 * for an installed one, and downloads a made-up JDK from a server of the test.
 */
class JdkDownloadTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String RELEASE = "25.0.9+9";
  private static final String ARCHIVE = "jdk.tar.gz";
  private static final List<String> PLATFORMS =
      List.of("linux-x64", "linux-aarch64", "mac-x64", "mac-aarch64");

  @TempDir private Path directory;
  private Path home;
  private Path store;
  private HttpServer mirror;
  private byte[] archive;
  private final AtomicInteger requests = new AtomicInteger();

  /** A finished run of the launcher, with both of its outputs. */
  private record Run(int exitCode, String output) {}

  @BeforeEach
  void aMachineWithoutJdk() throws Exception {
    home = Files.createDirectory(directory.resolve("home"));
    store = directory.resolve("store");
    Files.createDirectories(home.resolve("launcher"));
    try (Stream<Path> files = Files.list(ROOT.resolve("launcher"))) {
      for (Path file : files.toList()) {
        Files.copy(file, home.resolve("launcher").resolve(file.getFileName().toString()));
      }
    }
    Files.copy(ROOT.resolve("gauss"), home.resolve("gauss"));
    Path search = home.resolve("launcher/jdk.sh");
    Files.writeString(search, Files.readString(search) + "\njdk_candidates() { :; }\n");
    aFinishedBuild();
    archive = archive("#!/bin/sh\necho \"made-up java $*\"\n");
    mirror = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    mirror.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    serve(archive);
    mirror.start();
  }

  @AfterEach
  void stopMirror() {
    mirror.stop(0);
  }

  @Test
  void theJdkIsDownloadedOnceAndRunsGauss() throws Exception {
    Run first = gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status");
    assertEquals(0, first.exitCode(), first.output());
    assertTrue(first.output().contains("made-up java"), first.output());
    assertTrue(first.output().contains("io.gauss.server.Main status"), first.output());
    Run second = gauss(Map.of(), "status");
    assertEquals(0, second.exitCode(), second.output());
    assertEquals(1, requests.get());
    assertEquals(List.of(RELEASE), stored());
  }

  @Test
  void yesOnTheCommandLineIsAsGoodAsTheVariable() throws Exception {
    Run run = gauss(Map.of(), "--yes", "status");
    assertEquals(0, run.exitCode(), run.output());
    assertTrue(run.output().contains("io.gauss.server.Main status"), run.output());
  }

  @Test
  void nobodyIsAskedWithoutATerminalAndNothingIsDownloaded() throws Exception {
    for (Map<String, String> variables :
        List.of(Map.<String, String>of(), Map.of("GAUSS_JDK_DOWNLOAD", "no"))) {
      Run run = gauss(variables, "status");
      assertEquals(1, run.exitCode());
      assertTrue(run.output().contains("no JDK 25 found"), run.output());
      assertTrue(run.output().contains("apt-get install"), run.output());
      assertTrue(run.output().contains("GAUSS_JDK_DOWNLOAD=yes"), run.output());
    }
    assertEquals(0, requests.get());
  }

  @Test
  void anotherArchiveThanThePinnedOneIsRefused() throws Exception {
    byte[] other = archive.clone();
    other[other.length - 1] ^= 1;
    serve(other);
    assertRefused(gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status"), "is not the pinned JDK");
  }

  @Test
  void anArchiveThatTheMirrorDoesNotHaveIsRefused() throws Exception {
    mirror.removeContext("/");
    mirror.createContext("/", exchange -> exchange.sendResponseHeaders(404, -1));
    assertRefused(gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status"), "the download failed");
  }

  @Test
  void aPartOfTheArchiveIsRefused() throws Exception {
    replaceHandler(
        exchange -> {
          exchange.sendResponseHeaders(200, archive.length);
          exchange.getResponseBody().write(archive, 0, archive.length / 2);
          exchange.close();
        });
    assertRefused(gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status"), "the download failed");
    serve(Arrays.copyOf(archive, archive.length / 2));
    assertRefused(gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status"), "is not the pinned JDK");
  }

  @Test
  void anInterruptedDownloadLeavesNothing() throws Exception {
    CountDownLatch half = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    replaceHandler(
        exchange -> {
          exchange.sendResponseHeaders(200, archive.length);
          exchange.getResponseBody().write(archive, 0, archive.length / 2);
          exchange.getResponseBody().flush();
          half.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });
    Process process = start(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status");
    half.await();
    // As Ctrl-C does: all processes of the command get the signal.
    process.descendants().forEach(ProcessHandle::destroy);
    process.toHandle().destroy(); // Process.destroy would close its output
    process.getInputStream().readAllBytes();
    assertNotEquals(0, process.waitFor());
    end.countDown();
    // The shell that downloads may be the last of them to end.
    Instant latest = Instant.now().plusSeconds(30);
    while (!stored().isEmpty() && Instant.now().isBefore(latest)) {
      Thread.sleep(20);
    }
    assertEquals(List.of(), stored());
    serve(archive);
    assertEquals(0, gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status").exitCode());
  }

  @Test
  void whatAKilledDownloadHasLeftGoesWithTheNext() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    String dead = ".download." + ended.pid();
    String running = ".download." + ProcessHandle.current().pid();
    Files.createDirectories(store.resolve(dead).resolve("unpacked"));
    Files.createDirectories(store.resolve(running));
    assertEquals(0, gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status").exitCode());
    assertEquals(List.of(running, RELEASE), stored());
  }

  /** Each moves its JDK to the store only when the other one is about to do so as well. */
  @Test
  void twoThatDownloadAtOnceHaveOneJdk() throws Exception {
    Path arrived = Files.createDirectory(directory.resolve("arrived"));
    Path search = home.resolve("launcher/jdk.sh");
    Files.writeString(
        search,
        Files.readString(search)
            + """

            mv() {
              case ${*: -1} in
                "$jdk_store"/.download.*) ;;
                *)
                  touch "%1$s/$$"
                  while [ "$(ls "%1$s" | wc -l)" -lt 2 ]; do sleep 0.02; done
                  ;;
              esac
              command mv "$@"
            }
            """
                .formatted(arrived));
    Process other = start(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status");
    Run run = gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status");
    String output = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, other.waitFor(), output);
    assertEquals(0, run.exitCode(), run.output());
    assertEquals(List.of(RELEASE), stored());
    try (Stream<Path> files = Files.list(store.resolve(RELEASE))) {
      assertEquals(
          List.of("bin", "release"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void aJdkThatDoesNotRunHereIsRefused() throws Exception {
    archive = archive("#!/bin/sh\nexit 1\n");
    serve(archive);
    assertRefused(gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes"), "status"), "does not run on this");
  }

  @Test
  void aPlatformWithoutChecksumIsRefused() throws Exception {
    Path table = directory.resolve("none.txt");
    Files.writeString(table, "release " + RELEASE + "\nfrom http://127.0.0.1:1\n");
    Run run =
        gauss(Map.of("GAUSS_JDK_DOWNLOAD", "yes", "GAUSS_JDK_TABLE", table.toString()), "status");
    assertRefused(run, "there is no pinned JDK for ");
    assertTrue(run.output().contains("apt-get install"), run.output());
    assertEquals(0, requests.get());
  }

  @Test
  void thePinnedOneReplacesAnInstalledOneOnRequest() throws Exception {
    Path search = home.resolve("launcher/jdk.sh");
    Files.writeString(
        search,
        Files.readString(search)
            + "\njdk_candidates() { echo '%s'; }\n".formatted(System.getProperty("java.home")));
    Run run = gauss(Map.of("GAUSS_JDK_DOWNLOAD", "pinned"), "status");
    assertEquals(0, run.exitCode(), run.output());
    assertTrue(run.output().contains("made-up java"), run.output());
  }

  @Test
  void theTableHasEveryPlatformWithAChecksum() throws IOException {
    Map<String, String> table = new TreeMap<>();
    for (String line : Files.readAllLines(ROOT.resolve("launcher/temurin-25.txt"))) {
      if (!line.startsWith("#")) {
        table.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1));
      }
    }
    String release = table.remove("release");
    assertTrue(release.startsWith("25."), release);
    assertTrue(table.remove("from").endsWith("/jdk-" + release.replace("+", "%2B")));
    assertEquals(PLATFORMS.stream().sorted().toList(), List.copyOf(table.keySet()));
    table.forEach(
        (platform, line) -> {
          String[] parts = platform.split("-");
          String name =
              "OpenJDK25U-jdk_%s_%s_hotspot_%s.tar.gz"
                  .formatted(parts[1], parts[0], release.replace('+', '_'));
          assertTrue(line.matches("[0-9a-f]{64} .*"), line);
          assertEquals(name, line.substring(65));
        });
  }

  // ---- the machine

  private void assertRefused(Run run, String why) throws IOException {
    assertEquals(1, run.exitCode(), run.output());
    assertTrue(run.output().contains(why), run.output());
    assertEquals(List.of(), stored());
  }

  private List<String> stored() throws IOException {
    if (!Files.exists(store)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(store)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Gauss does not have to be built, so that the launcher needs nothing but a JDK. */
  private void aFinishedBuild() throws IOException {
    Path built = home.resolve("gauss-server/target/dist/.built");
    Files.createDirectories(built.getParent());
    Files.createDirectories(home.resolve("gauss-server/src/main"));
    Files.createFile(home.resolve("pom.xml"));
    Files.createFile(home.resolve("gauss-server/pom.xml"));
    Files.createFile(built);
    Files.setLastModifiedTime(built, FileTime.from(Instant.now().plusSeconds(3600)));
  }

  /** What the launcher takes for a JDK 25. */
  private byte[] archive(String java) throws Exception {
    Path jdk = Files.createTempDirectory(directory, "made-up");
    Path bin = Files.createDirectories(jdk.resolve("jdk-" + RELEASE + "/bin"));
    Files.writeString(bin.resolveSibling("release"), "JAVA_VERSION=\"25.0.9\"\n");
    for (String name : List.of("java", "javac")) {
      Files.writeString(bin.resolve(name), java);
      Files.setPosixFilePermissions(
          bin.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Path packed = jdk.resolve(ARCHIVE);
    Process tar =
        new ProcessBuilder("tar", "-czf", packed.toString(), "-C", jdk.toString(), "jdk-" + RELEASE)
            .inheritIO()
            .start();
    assertEquals(0, tar.waitFor());
    return Files.readAllBytes(packed);
  }

  private interface Handler {
    void handle(HttpExchange exchange) throws IOException;
  }

  private void replaceHandler(Handler handler) {
    try {
      mirror.removeContext("/");
    } catch (IllegalArgumentException e) {
      // There was none yet.
    }
    mirror.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          assertEquals("/mirrored/" + ARCHIVE, exchange.getRequestURI().getPath());
          handler.handle(exchange);
        });
  }

  private void serve(byte[] bytes) {
    replaceHandler(
        exchange -> {
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  private Run gauss(Map<String, String> variables, String... arguments) throws Exception {
    Process process = start(variables, arguments);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }

  private Process start(Map<String, String> variables, String... arguments) throws Exception {
    Path table = directory.resolve("table.txt");
    String checksum =
        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive));
    StringBuilder lines = new StringBuilder("release " + RELEASE + "\nfrom http://127.0.0.1:1\n");
    for (String platform : PLATFORMS) {
      lines.append(platform).append(' ').append(checksum).append(' ').append(ARCHIVE).append('\n');
    }
    Files.writeString(table, lines);
    List<String> command = new ArrayList<>(List.of("bash", home.resolve("gauss").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("GAUSS_") || name.endsWith("_proxy"));
    environment.put("GAUSS_JDK_DIR", store.toString());
    environment.put("GAUSS_JDK_TABLE", table.toString());
    environment.put(
        "GAUSS_JDK_MIRROR", "http://127.0.0.1:" + mirror.getAddress().getPort() + "/mirrored/");
    environment.putAll(variables);
    return builder.start();
  }
}
