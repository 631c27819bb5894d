package io.gauss.storage.local.log;

import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStreamContract;
import io.gauss.storage.disk.SimulatedDisk;

/** The local stream with every append handed to its writer thread. */
class QueuedLogStreamContractTest extends LogStreamContract {
  private final SimulatedDisk disk = new SimulatedDisk();

  @Override
  protected LogStream open() {
    return LocalLogStream.open(
        disk, 1, LogSettings.defaults().withSegmentBytes(16 << 10).withDirectAppend(false));
  }
}
