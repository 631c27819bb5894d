package io.gauss.compute.pgwire;

/** A server for the tests of a class: the contracts of the protocol hold for each. */
interface WireServer {
  int port();

  /** The database of these tests. */
  String database();

  /** Sessions that wait for a lock now. */
  int waiting();

  boolean isGauss();
}
