package io.gauss.jdbc.routing;

/**
 * The counts of a router since it was created; for users and metrics.
 *
 * @param mode {@code model}, {@code table}, {@code sticky} or {@code random}
 * @param version of the publication in use, 0 for none
 * @param engine the engine that computes the model: {@code java}, {@code djl}, or {@code none}
 * @param known decisions that the model or table made
 * @param owned decisions for the node that has the rows of the statement's key
 * @param cached answers of the model that were in the cache, including "do not know"
 * @param computed answers of the model that were not
 * @param unknown decisions without model or table: by the first value, or left to the driver
 * @param failures calls of an engine that failed
 * @param taken publications that came into use
 * @param refused publications that could not be used
 */
public record RouterReport(
    String mode,
    long version,
    String engine,
    long known,
    long owned,
    long cached,
    long computed,
    long unknown,
    long failures,
    long taken,
    long refused) {

  /** Of a router that counts nothing. */
  static RouterReport of(RoutingMode mode) {
    return new RouterReport(mode.text(), 0, "none", 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** The sum of both reports' counts, with the other fields of this one. */
  public RouterReport plus(RouterReport other) {
    return new RouterReport(
        mode,
        version,
        engine,
        known + other.known,
        owned + other.owned,
        cached + other.cached,
        computed + other.computed,
        unknown + other.unknown,
        failures + other.failures,
        taken + other.taken,
        refused + other.refused);
  }
}
