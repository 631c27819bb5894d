package io.gauss.bench;

import java.util.List;
import java.util.Map;

/**
 * How to run a workload.
 *
 * @param urls any JDBC URLs, one for each node that clients use; tables are loaded by the first
 * @param placement which of the nodes a terminal uses
 * @param terminals concurrent clients
 * @param seconds measured time
 * @param warmupSeconds time before it
 * @param isolation a {@code Connection.TRANSACTION_*} constant, or -1 for the server's default
 * @param load whether to load even when the tables exist
 * @param seed of all random choices
 * @param settings other facts to record in the result
 */
public record BenchOptions(
    List<String> urls,
    Placement placement,
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
