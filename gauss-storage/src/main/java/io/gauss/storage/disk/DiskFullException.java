package io.gauss.storage.disk;

import java.io.IOException;

/**
 * There is no room on the disk. Unlike other I/O errors this one is temporary, so callers keep
 * their data and retry.
 */
public final class DiskFullException extends IOException {
  private static final long serialVersionUID = 1;

  private final String file;

  DiskFullException(String file, Throwable cause) {
    super("no room on the disk of " + file, cause);
    this.file = file;
  }

  public String file() {
    return file;
  }
}
