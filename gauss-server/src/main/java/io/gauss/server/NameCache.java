package io.gauss.server;

import java.security.Security;

/**
 * The JVM's memory of what names stand for. By default it keeps an address for half a minute, and
 * for ten seconds that there is none. A node that was restarted elsewhere would not be found for so
 * long; and a connection that its old address refuses, where by then another node may be, would
 * count as proof that it has ended.
 */
final class NameCache {
  private static final String TTL = "networkaddress.cache.ttl";
  private static final String NEGATIVE_TTL = "networkaddress.cache.negative.ttl";
  private static final String OFF = "0";

  private NameCache() {}

  /** To be called before the first name is looked up. Names are looked up for each connection. */
  static void turnOff() {
    Security.setProperty(TTL, OFF);
    Security.setProperty(NEGATIVE_TTL, OFF);
    // gRPC, by which Raft's members talk, reads the property of the system.
    System.setProperty(TTL, OFF);
  }
}
