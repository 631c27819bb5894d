package io.gauss.common.transport.link;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.common.transport.TransportSettings;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the messages to one node that are under way, against their limits. Thread-safe. */
final class Outstanding {
  private final TransportSettings settings;
  private final NodeAddress address;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  Outstanding(TransportSettings settings, NodeAddress address) {
    this.settings = settings;
    this.address = address;
  }

  /**
   * Counts a message until {@link #release}.
   *
   * @param pendingBytes bytes in the connection's buffers that count as well
   * @return null, or the failure when a limit is reached; the message is not counted then
   */
  TransportException admit(Outbound message, long pendingBytes) {
    int allCalls = calls.incrementAndGet();
    long allBytes = bytes.addAndGet(message.bytes);
    if (allCalls <= settings.maxOutstandingCalls()
        && allBytes + pendingBytes <= settings.maxOutstandingBytes()) {
      return null;
    }
    release(message);
    return new TransportException(
        Reason.OVERLOADED,
        false,
        "%d messages with %d bytes are on their way to %s already"
            .formatted(allCalls - 1, allBytes - message.bytes + pendingBytes, address));
  }

  void release(Outbound message) {
    calls.decrementAndGet();
    bytes.addAndGet(-message.bytes);
  }
}
