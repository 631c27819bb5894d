package io.gauss.compute.buffer;

import java.time.Duration;

/**
 * Size and limits of a buffer pool.
 *
 * @param frames pages of 8 KiB that it holds
 * @param evictionWait how long a load waits for a frame to become free before it fails with 53200
 * @param kept how long rights to pages are kept; without meaning on a single node
 */
public record PoolSettings(int frames, Duration evictionWait, RightRetention kept) {
  public static final int MIN_FRAMES = 8;

  public PoolSettings {
    if (frames < MIN_FRAMES) {
      throw new IllegalArgumentException("a buffer pool needs at least " + MIN_FRAMES + " frames");
    }
  }

  PoolSettings(int frames, Duration evictionWait) {
    this(frames, evictionWait, RightRetention.UNTIL_WANTED);
  }

  public static PoolSettings ofFrames(int frames) {
    return new PoolSettings(frames, Duration.ofSeconds(10));
  }

  public static PoolSettings ofBytes(long bytes) {
    return ofFrames(Math.clamp(bytes / 8192, MIN_FRAMES, 1 << 27));
  }

  /** The same, with another retention of rights. */
  public PoolSettings keeping(RightRetention other) {
    return new PoolSettings(frames, evictionWait, other);
  }
}
