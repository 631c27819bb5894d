package io.gauss.compute.routing;

import io.gauss.compute.routing.data.PublishedRouting;
import java.util.function.IntPredicate;

/**
 * Leaves out of a publication the values of tables that somebody may not read. Compute nodes do not
 * read models: the code that starts them does, with the drivers' classes. Thread-safe; neither
 * waits nor throws.
 */
@FunctionalInterface
public interface PublicationFilter {
  /** For a node without another filter: nothing is left. */
  PublicationFilter NONE = (published, mayRead) -> published.with(null, null);

  /**
   * What somebody may see.
   *
   * @param mayRead by the table's oid
   * @return the same with another model and table; null = none of it
   */
  PublishedRouting filter(PublishedRouting published, IntPredicate mayRead);
}
