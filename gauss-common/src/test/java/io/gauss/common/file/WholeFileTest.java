package io.gauss.common.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash leaves of a small file that is replaced. */
class WholeFileTest {
  @TempDir Path directory;
  private Path file;
  private final List<String> forced = new ArrayList<>();

  @BeforeEach
  void write() throws IOException {
    file = directory.resolve("a");
    WholeFile.write(file, "before");
  }

  /** Notes what is forced, and what the file then has. */
  private void force(FileChannel channel, Path path) throws IOException {
    assertTrue(channel.isOpen());
    String what = path.equals(directory) ? "the names" : Files.readString(path);
    forced.add(what + ", while it is " + (Files.exists(file) ? Files.readString(file) : "gone"));
  }

  @Test
  void theContentIsForcedBeforeTheNameAndTheNameBeforeTheReturn() throws IOException {
    WholeFile.write(file, "after", null, this::force);
    assertEquals(List.of("after, while it is before", "the names, while it is after"), forced);
  }

  @Test
  void whoIsKilledWhileItIsWrittenLeavesWhatWasThere() throws IOException {
    assertThrows(
        IOException.class,
        () ->
            WholeFile.write(
                file,
                "after",
                null,
                (channel, path) -> {
                  throw new IOException("killed");
                }));
    assertEquals("before", Files.readString(file));
    WholeFile.write(file, "later"); // what was left does not disturb
    assertEquals("later", Files.readString(file));
  }

  @Test
  void removedIsRemovedForGoodAndOnce() throws IOException {
    assertTrue(WholeFile.remove(file, this::force));
    assertEquals(List.of("the names, while it is gone"), forced);
    assertFalse(WholeFile.remove(file, this::force));
  }

  @Test
  void permissionsAndLinksStay() throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    WholeFile.write(link, "after");
    assertTrue(Files.isSymbolicLink(link));
    assertEquals("after", Files.readString(file));
    assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    WholeFile.writeForOwner(file, "secret");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  @Test
  void directoriesAreMadeWithThoseAboveThem() throws IOException {
    Path deep = directory.resolve("x/y/z");
    WholeFile.createDirectories(deep);
    WholeFile.createDirectories(deep);
    assertTrue(Files.isDirectory(deep));
  }
}
