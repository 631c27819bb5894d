package io.gauss.bench;

import java.util.Map;

/**
 * How to run a workload.
 *
 * @param url any JDBC URL
 * @param terminals concurrent connections
 * @param seconds measured time
 * @param warmupSeconds time before it
 * @param isolation a {@code Connection.TRANSACTION_*} constant, or -1 for the server's default
 * @param load whether to load even when the tables are there
 * @param seed of all random choices
 * @param settings what else is worth noting in the result
 */
public record BenchOptions(
    String url,
    String user,
    String password,
    int terminals,
    int seconds,
    int warmupSeconds,
    int isolation,
    boolean load,
    long seed,
    boolean progress,
    Map<String, Object> settings) {}
