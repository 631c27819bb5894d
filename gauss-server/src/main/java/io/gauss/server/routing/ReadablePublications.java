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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publications without the values of tables that somebody may not read. What is left is kept for
 * each set of columns that somebody has asked for, as far as there is room: roles have few
 * different ones, and ask every two seconds. It is computed once, while only those wait who want
 * the same. Thread-safe.
 */
public final class ReadablePublications implements PublicationFilter {
  private static final Logger LOG = LoggerFactory.getLogger(ReadablePublications.class);

  /** Of what is kept, beside the publication itself. */
  static final long MOST_BYTES = 64L << 20;

  /** Sets of columns; those that see all of it, or nothing, take no bytes. */
  static final int MOST_SETS = 1024;

  private volatile Filtered last = new Filtered(PublishedRouting.NONE);

  @Override
  public PublishedRouting filter(PublishedRouting published, IntPredicate mayRead) {
    return of(published).left(mayRead);
  }

  private Filtered of(PublishedRouting published) {
    Filtered now = last;
    if (now.published == published) {
      return now;
    }
    synchronized (this) {
      if (last.published == published) {
        return last;
      }
      Filtered other = new Filtered(published);
      if (published.version() >= last.published.version()) {
        last = other; // or whoever has just read the one before would have all computed again
      }
      return other;
    }
  }

  /** A publication, and what is left of it. */
  private static final class Filtered {
    private final PublishedRouting published;
    private final Parts parts; // null = nobody sees anything of it
    private final Map<Set<String>, Left> kept = new LinkedHashMap<>(16, 0.75f, true); // locked
    private long bytes; // of what is kept; as kept

    Filtered(PublishedRouting published) {
      this.published = published;
      this.parts = read(published);
    }

    PublishedRouting left(IntPredicate mayRead) {
      if (parts == null) {
        return published.with(null, null);
      }
      Set<String> readable = parts.sources().readable(mayRead);
      Left left;
      synchronized (kept) {
        left = kept.computeIfAbsent(readable, set -> new Left());
      }
      PublishedRouting found = left.get(published, parts, readable);
      synchronized (kept) {
        if (!left.isCounted && kept.get(readable) == left) {
          left.isCounted = true;
          bytes += left.bytes;
          forget();
        }
      }
      return found;
    }

    /** What was wanted least lately, but not the last one. */
    private void forget() {
      Iterator<Left> oldest = kept.values().iterator();
      while ((bytes > MOST_BYTES || kept.size() > MOST_SETS) && kept.size() > 1) {
        Left gone = oldest.next();
        bytes -= gone.isCounted ? gone.bytes : 0;
        oldest.remove();
      }
    }
  }

  /** What is left for one set of columns. */
  private static final class Left {
    private PublishedRouting found; // null = not computed yet; under its own lock, as bytes
    private long bytes;
    private boolean isCounted; // under that of all

    synchronized PublishedRouting get(
        PublishedRouting published, Parts parts, Set<String> readable) {
      if (found == null) {
        boolean isAll = parts.isReadable(readable);
        found = isAll ? published : parts.left(published, readable);
        bytes = isAll ? 0 : length(found.model()) + length(found.table());
      }
      return found;
    }

    private static long length(byte[] content) {
      return content == null ? 0 : content.length;
    }
  }

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

  private static Parts read(PublishedRouting published) {
    try {
      return Parts.of(published);
    } catch (PublicationException e) {
      LOG.warn("what is published cannot be read, and roles see nothing of it: {}", e.getMessage());
      return null;
    }
  }
}
