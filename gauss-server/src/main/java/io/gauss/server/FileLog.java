package io.gauss.server;

import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.local.log.LogFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The log in the data directory of a node that keeps it itself, whether or not the node runs. */
record FileLog(LogFiles files) implements LogAccess {
  /**
   * @throws RefusedException when there is no such log
   */
  static FileLog open(Path data, int stream) {
    Path directory = data.resolve("log");
    if (!Files.isDirectory(directory)) {
      throw new RefusedException(
          "--data " + data + ": there is no log, and no address of storage nodes");
    }
    LogFiles files = LogFiles.open(directory);
    if (files.streamId() != stream) {
      throw new RefusedException(
          "--stream %d: there is no such stream in %s; there is %d"
              .formatted(stream, data, files.streamId()));
    }
    return new FileLog(files);
  }

  @Override
  public long startOffset() {
    return files.startOffset();
  }

  @Override
  public OptionalLong locate(long csn) {
    return files.locate(csn);
  }

  @Override
  public LogReader read(long fromOffset) {
    return files.read(fromOffset);
  }

  @Override
  public void close() {}
}
