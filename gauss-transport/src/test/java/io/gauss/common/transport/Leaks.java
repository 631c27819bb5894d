package io.gauss.common.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Finds unreleased buffers: Netty's detector at its strictest level, with its reports kept. It must
 * be installed before the first buffer is allocated.
 */
public final class Leaks {
  private static final List<String> REPORTS = new CopyOnWriteArrayList<>();

  private Leaks() {}

  static void install() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          @SuppressWarnings("deprecation") // the method to implement still has the parameter
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int interval, long maxActive) {
            return new Reporting<>(resource, interval);
          }
        });
  }

  private static final class Reporting<T> extends ResourceLeakDetector<T> {
    private Reporting(Class<?> resource, int interval) {
      super(resource, interval);
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      REPORTS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      REPORTS.add(resourceType);
    }
  }

  /** Fails when a garbage-collected buffer was not released. */
  public static void check() {
    System.gc();
    // The detector checks the collected buffers whenever a buffer is allocated.
    for (int i = 0; i < 3; i++) {
      ByteBuf probe = PooledByteBufAllocator.DEFAULT.buffer(16);
      probe.release();
    }
    assertEquals(List.of(), List.copyOf(REPORTS));
  }
}
