package io.gauss.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFilesTest {
  @TempDir Path directory;

  private static void permit(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  private String refusal() {
    GaussException refused =
        assertThrows(GaussException.class, () -> PrivateFiles.check(directory));
    assertEquals("55000", refused.state().code());
    return refused.getMessage();
  }

  @Test
  void aNewDirectoryIsForItsOwnerAlone() throws IOException {
    Path fresh = directory.resolve("a/b");
    PrivateFiles.createDirectory(fresh);
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)));
    PrivateFiles.check(fresh);
  }

  @Test
  void anEmptyDirectoryThatExistsIsClosedToOthers() throws IOException {
    permit(directory, "rwxr-xr-x"); // as mkdir makes it
    PrivateFiles.createDirectory(directory);
    PrivateFiles.check(directory);
  }

  @Test
  void aDirectoryWithFilesIsLeftAsItIs() throws IOException {
    Files.createFile(directory.resolve("somebody's"));
    permit(directory, "rwxr-x---");
    PrivateFiles.createDirectory(directory);
    assertEquals(
        "rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
  }

  @Test
  void aDirectoryThatOthersCanEnterIsRefusedWithTheCommandThatHelps() throws IOException {
    for (String loose : new String[] {"rwxr-xr-x", "rwxr-x---", "rwx--x---", "rwx-----x"}) {
      permit(directory, loose);
      String refusal = refusal();
      assertTrue(refusal.contains(loose), refusal);
      assertTrue(refusal.contains("chmod -R go= '" + directory + "'"), refusal);
    }
    permit(directory, "rwx------");
    PrivateFiles.check(directory);
  }

  @Test
  void aKeyElsewhereThatOthersCanReadOrWriteIsRefused() throws IOException {
    permit(directory, "rwxr-xr-x"); // as /etc is
    Path file = directory.resolve("node-key.pem");
    PrivateFiles.checkSecret(file); // there is none
    Files.createFile(file);
    for (String loose : new String[] {"rw-r-----", "rw----r--", "rw--w----", "rw-r--r--"}) {
      permit(file, loose);
      GaussException refused =
          assertThrows(GaussException.class, () -> PrivateFiles.checkSecret(file));
      assertEquals("55000", refused.state().code());
      assertTrue(refused.getMessage().contains(loose), refused.getMessage());
      assertTrue(refused.getMessage().endsWith("chmod go= '" + file + "'"), refused.getMessage());
    }
    permit(file, "r--------");
    PrivateFiles.checkSecret(file);
  }

  @Test
  void aFileThatOthersCanReadOrWriteIsRefused() throws IOException {
    permit(directory, "rwx------");
    Path file = Files.createFile(directory.resolve("cluster.key"));
    for (String loose : new String[] {"rw-r-----", "rw----r--", "rw--w----", "rw-r--r--"}) {
      permit(file, loose);
      assertTrue(refusal().contains("cluster.key"));
    }
    for (String strict : new String[] {"rw-------", "r--------"}) {
      permit(file, strict);
      PrivateFiles.check(directory);
    }
  }
}
