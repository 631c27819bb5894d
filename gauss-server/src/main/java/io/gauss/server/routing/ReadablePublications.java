package io.gauss.server.routing;

import io.gauss.compute.routing.PublicationFilter;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.ReadableParts;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publications without the values of tables that somebody may not read. What is left is kept for
 * the last few sets of columns: roles have few different ones, and ask every two seconds.
 * Thread-safe.
 */
public final class ReadablePublications implements PublicationFilter {
  private static final Logger LOG = LoggerFactory.getLogger(ReadablePublications.class);

  /** Sets of columns for which the publication is kept, of up to 5 MB each. */
  static final int MOST_KEPT = 8;

  private final Map<Set<String>, PublishedRouting> kept = new LinkedHashMap<>(16, 0.75f, true);
  private PublishedRouting last; // of which there are the parts below
  private Parts parts;

  /**
   * A publication as it was read.
   *
   * @param model null = there is none
   * @param table null = there is none
   */
  private record Parts(RoutingModel model, RoutingTable table, PublicationSources sources) {
    static Parts of(PublishedRouting published) throws PublicationException {
      int most = PublishedRouting.MOST_BYTES;
      return new Parts(
          published.model() == null ? null : Publication.readModel(published.model(), most),
          published.table() == null ? null : Publication.readTable(published.table(), most),
          published.sources() == null
              ? PublicationSources.NONE
              : PublicationSources.read(published.sources(), most));
    }

    boolean isReadable(Set<String> readable) {
      return (model == null
              || model.columns().stream().map(ColumnProfile::column).allMatch(readable::contains))
          && (table == null
              || table.entries().stream()
                  .allMatch(
                      entry ->
                          readable.contains(sources.entries().getOrDefault(entry.template(), ""))));
    }

    PublishedRouting left(PublishedRouting of, Set<String> readable) {
      RoutingModel rest = model == null ? null : ReadableParts.of(model, sources, readable);
      return of.with(
          rest == null ? null : Publication.write(rest),
          table == null ? null : Publication.write(ReadableParts.of(table, sources, readable)));
    }
  }

  @Override
  public synchronized PublishedRouting filter(PublishedRouting published, IntPredicate mayRead) {
    if (published != last) {
      last = published;
      parts = read(published);
      kept.clear();
    }
    if (parts == null) {
      return published.with(null, null);
    }
    Set<String> readable = parts.sources().readable(mayRead);
    PublishedRouting known = kept.get(readable);
    if (known == null) {
      known = parts.isReadable(readable) ? published : parts.left(published, readable);
      kept.put(readable, known);
      if (kept.size() > MOST_KEPT) {
        kept.remove(kept.keySet().iterator().next());
      }
    }
    return known;
  }

  private static Parts read(PublishedRouting published) {
    try {
      return Parts.of(published);
    } catch (PublicationException e) {
      LOG.warn("what is published cannot be read, and roles see nothing of it: {}", e.getMessage());
      return null;
    }
  }
}
