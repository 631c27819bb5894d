/**
 * A cluster of processes under clients and faults: {@code ./gauss chaos} kills, stops and cuts off
 * nodes, and compares what clients were told with what is there.
 */
package io.gauss.server.chaos;
