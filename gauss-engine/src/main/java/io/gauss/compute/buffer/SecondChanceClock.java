package io.gauss.compute.buffer;

import java.util.concurrent.atomic.AtomicInteger;

/** The classical clock: a frame used since the hand last passed it is skipped once. */
final class SecondChanceClock implements EvictionPolicy {
  private final Frames frames;
  private final AtomicInteger hand = new AtomicInteger();

  SecondChanceClock(Frames frames) {
    this.frames = frames;
  }

  @Override
  public void used(int frame) {
    frames.touch(frame);
  }

  @Override
  public int candidate() {
    int frame = Integer.remainderUnsigned(hand.getAndIncrement(), frames.count());
    return frames.untouch(frame) ? -1 : frame;
  }

  @Override
  public int patience() {
    return 2 * frames.count() + 2;
  }
}
