package io.gauss.router.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The newest samples, and which of them have not been processed. Thread-safe. */
final class SampleWindow {
  private final TransactionSample[] ring;
  private long count;
  private long seen;

  SampleWindow(int size) {
    this.ring = new TransactionSample[size];
  }

  /** Returns how many there are by now. */
  synchronized long add(TransactionSample sample) {
    ring[(int) (count++ % ring.length)] = sample;
    return count;
  }

  /** The newest of the samples kept, at most this many; oldest first. */
  synchronized List<TransactionSample> newest(int most) {
    return from(Math.max(0, count - Math.min(most, ring.length)));
  }

  /** The samples that came since the last call, as far as they are kept. */
  synchronized List<TransactionSample> fresh() {
    List<TransactionSample> fresh = from(Math.max(seen, count - ring.length));
    seen = count;
    return fresh;
  }

  /** Samples so far. */
  synchronized long count() {
    return count;
  }

  /** Forgets the samples. */
  synchronized void clear() {
    Arrays.fill(ring, null);
    count = 0;
    seen = 0;
  }

  private List<TransactionSample> from(long first) {
    List<TransactionSample> samples = new ArrayList<>((int) (count - first));
    for (long i = first; i < count; i++) {
      samples.add(ring[(int) (i % ring.length)]);
    }
    return samples;
  }
}
