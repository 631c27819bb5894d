package io.gauss.bench;

import java.util.List;

/**
 * How to compare sessions whose transactions may be forwarded with those whose may not.
 *
 * @param addresses of compute nodes, {@code host:port}; tables are loaded by the first
 * @param clients concurrent connections, dealt to the nodes in turn
 * @param rounds in which each setting has its turn
 * @param seconds measured in each turn
 * @param settle seconds of each turn before that
 * @param warmup seconds before the first round, in which transactions may be forwarded
 * @param load whether to load even when the tables exist
 * @param seed of all random choices
 */
public record RerouteOptions(
    List<String> addresses,
    String user,
    String password,
    int clients,
    int rounds,
    int seconds,
    int settle,
    int warmup,
    boolean load,
    long seed) {}
