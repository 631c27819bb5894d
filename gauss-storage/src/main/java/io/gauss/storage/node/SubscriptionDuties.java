package io.gauss.storage.node;

import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.stream.StreamRequest;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import io.gauss.storage.wire.LogHold;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the leader of a stream does about its subscriptions (rule 44): it has a new stream await
 * whom the map named at its beginning, tells it again and again which tenures are over, and warns
 * once of a subscription that keeps the log for long.
 *
 * <p>Nothing here depends on the map being the newest. A subscription that is made for a tenure
 * that is over is ended by whoever knows that, and what an old map holds to be over is. {@link
 * #look} is for one thread; the rest is thread-safe.
 */
final class SubscriptionDuties {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriptionDuties.class);

  /** A node that follows the streams raises its subscriptions with each checkpoint. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private record Key(int stream, int node) {}

  private final StreamService streams;
  private final GroupHost host;
  private final Tenures tenures;
  private final Duration patience;
  private final Map<Key, Long> warned = new HashMap<>(); // of which offset

  SubscriptionDuties(StreamService streams, GroupHost host, Tenures tenures) {
    this(streams, host, tenures, LONG);
  }

  /**
   * @param patience for how long a log may be kept without a warning
   */
  SubscriptionDuties(StreamService streams, GroupHost host, Tenures tenures, Duration patience) {
    this.streams = streams;
    this.host = host;
    this.tenures = tenures;
    this.patience = patience;
  }

  /**
   * Whether a stream that was never trimmed has a subscription of everybody who has slices; makes
   * those that are missing, if this node leads. What was trimmed once has had them.
   */
  boolean mayTrim(int stream) {
    if (streams.local(stream).start() > 0) {
      return true;
    }
    boolean all = true;
    for (Map.Entry<Integer, Long> awaited : tenures.holders().entrySet()) {
      int node = awaited.getKey();
      long tenure = awaited.getValue();
      if (!streams.subscriptions(stream).reach(node, tenure) && tenures.over(node) < tenure) {
        all = false;
        streams.handle(new StreamRequest.Subscribe(stream, node, tenure, 0));
      }
    }
    return all;
  }

  /** To be called every few seconds. */
  void look() {
    for (int stream : streams.streams()) {
      GroupId group = GroupId.stream(stream);
      if (host.groups().contains(group) && host.leads(group)) {
        endWhatIsOver(stream);
        warnOfLongHolds(stream);
      } else {
        warned.keySet().removeIf(key -> key.stream() == stream);
      }
    }
  }

  private void endWhatIsOver(int stream) {
    for (Subscription each : streams.subscriptions(stream).all()) {
      long over = tenures.over(each.node());
      if (over >= each.tenure()) {
        LOG.info("storage node {} needs the log of stream {} no more", each.node(), stream);
        streams.handle(new StreamRequest.Unsubscribe(stream, each.node(), over));
      }
    }
  }

  private void warnOfLongHolds(int stream) {
    Map<Key, LogHold> now = new HashMap<>();
    streams.holds(stream).forEach(hold -> now.put(new Key(stream, hold.node()), hold));
    warned.entrySet().removeIf(each -> hasMoved(stream, each.getKey(), each.getValue(), now));
    now.forEach(
        (key, hold) -> {
          if (hold.nanos() >= patience.toNanos() && warned.putIfAbsent(key, hold.from()) == null) {
            LOG.warn(
                "the log of stream {} is kept from offset {} on for storage node {}, {} MB by now:"
                    + " it has not said for {} min that it needs less",
                stream,
                hold.from(),
                hold.node(),
                hold.bytes() >> 20,
                Duration.ofNanos(hold.nanos()).toMinutes());
          }
        });
  }

  private static boolean hasMoved(int stream, Key key, long from, Map<Key, LogHold> now) {
    LogHold hold = now.get(key);
    return key.stream() == stream && (hold == null || hold.from() != from);
  }
}
