package io.gauss.storage.raft;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.util.TimeDuration;

/**
 * Ratis's metrics, none of which is kept. Ratis takes about ten times for each entry and keeps each
 * in a histogram, and Gauss shows none of them: its own metrics and views come from {@link
 * GroupStatus} and from what stands around Ratis.
 *
 * <p>Found through the service loader: public, with a public constructor. Stateless.
 */
public final class NoRaftMetrics extends MetricRegistries {
  private static final Timekeeper.Context NO_TIME = () -> 0;
  private static final Timekeeper NO_TIMER = () -> NO_TIME;

  private static final LongCounter NO_COUNTER =
      new LongCounter() {
        @Override
        public void inc(long n) {}

        @Override
        public void dec(long n) {}

        @Override
        public long getCount() {
          return 0;
        }
      };

  private record Nothing(MetricRegistryInfo getMetricRegistryInfo) implements RatisMetricRegistry {
    @Override
    public Timekeeper timer(String name) {
      return NO_TIMER;
    }

    @Override
    public LongCounter counter(String name) {
      return NO_COUNTER;
    }

    @Override
    public boolean remove(String name) {
      return true;
    }

    @Override
    public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {}
  }

  @Override
  public RatisMetricRegistry create(MetricRegistryInfo info) {
    return new Nothing(info);
  }

  @Override
  public boolean remove(MetricRegistryInfo key) {
    return true;
  }

  @Override
  public Optional<RatisMetricRegistry> get(MetricRegistryInfo info) {
    return Optional.empty();
  }

  @Override
  public Set<MetricRegistryInfo> getMetricRegistryInfos() {
    return Set.of();
  }

  @Override
  public Collection<RatisMetricRegistry> getMetricRegistries() {
    return List.of();
  }

  @Override
  public void clear() {}

  @Override
  public void addReporterRegistration(
      Consumer<RatisMetricRegistry> begin, Consumer<RatisMetricRegistry> end) {}

  @Override
  public void enableJmxReporter() {}

  @Override
  public void enableConsoleReporter(TimeDuration rate) {}
}
