package io.gauss.jdbc.routing;

/**
 * What a router did since it was made; for people and metrics.
 *
 * @param mode {@code model} or {@code table}
 * @param version of the publication in use, 0 for none
 * @param engine what computes the model: {@code java}, {@code djl}, or {@code none}
 * @param known decisions that the model or table made
 * @param cached of these and of those that the model did not know, how many were in the cache
 * @param unknown decisions without: by the first value, or left to the driver
 * @param failures calls of an engine that failed
 */
public record RouterReport(
    String mode,
    long version,
    String engine,
    long known,
    long cached,
    long unknown,
    long failures) {}
