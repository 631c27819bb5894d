package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The few small files of a group's replica. */
public interface ReplicaFiles {
  /** A file's content; null when there is no such file. */
  byte[] read(String name) throws IOException;

  /** Writes a file durably. After a crash it has its old content or the new one. */
  void replace(String name, byte[] content) throws IOException;

  /** Files in a directory. */
  static ReplicaFiles in(Path directory) {
    return new InDirectory(directory);
  }

  /** Files in a directory, each replaced by renaming a new one. */
  record InDirectory(Path directory) implements ReplicaFiles {
    @Override
    public byte[] read(String name) throws IOException {
      try {
        return Files.readAllBytes(directory.resolve(name));
      } catch (NoSuchFileException e) {
        return null;
      }
    }

    @Override
    public void replace(String name, byte[] content) throws IOException {
      Path fresh = directory.resolve(name + ".new");
      try (FileChannel channel =
          FileChannel.open(
              fresh,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(
          fresh,
          directory.resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel parent = FileChannel.open(directory)) {
        parent.force(true);
      }
    }
  }
}
