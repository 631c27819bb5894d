package io.gauss.compute.buffer;

import java.util.concurrent.atomic.AtomicInteger;

/** The classical clock: a frame that was used since the hand passed it last is left alone once. */
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
