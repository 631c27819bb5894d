package io.gauss.compute.notify;

/**
 * What a transaction tells the sessions that listen to a channel.
 *
 * @param pid number of the session that told it
 * @param channel at most {@link #MOST_CHANNEL_BYTES} bytes
 * @param payload at most {@link #MOST_PAYLOAD_BYTES} bytes; empty when there is none
 */
public record Notification(int pid, String channel, String payload) {
  /** As in PostgreSQL, in UTF-8. */
  public static final int MOST_CHANNEL_BYTES = 63;

  /** As in PostgreSQL, in UTF-8. */
  public static final int MOST_PAYLOAD_BYTES = 7_999;

  private static final int OBJECT_BYTES = 120; // with its strings and places in lists, roughly

  /** Bytes of memory that it takes, roughly. */
  public long bytes() {
    return OBJECT_BYTES + 2L * (channel.length() + payload.length());
  }
}
