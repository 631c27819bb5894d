package io.gauss.storage.raft;

import java.io.IOException;

/**
 * The file with a replica's snapshot, from which the replica begins after a restart. It never goes
 * back: a state that was fetched is saved before the log begins anew behind it, and a snapshot that
 * is taken of the old state meanwhile does not replace it.
 *
 * <p>Thread-safe; blocks for the disk.
 */
public final class SnapshotFile {
  private final ReplicaFiles files;
  private final String name;
  private long index = -1; // guarded by this

  public SnapshotFile(ReplicaFiles files, String name) {
    this.files = files;
    this.name = name;
  }

  /** The file's content; null when there is no such file. */
  public byte[] read() throws IOException {
    return files.read(name);
  }

  /** The content that was read is of this index. */
  public synchronized void holds(long found) {
    index = found;
  }

  /** Saves a snapshot durably, unless the file has one of this index or a later one. */
  public synchronized void save(long of, byte[] content) throws IOException {
    if (of > index) {
      files.replace(name, content);
      index = of;
    }
  }
}
