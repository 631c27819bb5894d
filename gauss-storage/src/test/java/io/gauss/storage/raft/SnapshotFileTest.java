package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFileTest {
  @TempDir Path directory;

  private SnapshotFile file() {
    return new SnapshotFile(ReplicaFiles.in(directory), "a.snapshot");
  }

  @Test
  void anOlderSnapshotDoesNotReplaceALaterOne() throws Exception {
    SnapshotFile file = file();
    assertNull(file.read());
    file.save(9, new byte[] {9});
    file.save(8, new byte[] {8});
    assertArrayEquals(new byte[] {9}, file.read());
    SnapshotFile again = file();
    again.holds(9);
    again.save(8, new byte[] {8});
    again.save(10, new byte[] {10});
    assertArrayEquals(new byte[] {10}, again.read());
  }
}
