package io.gauss.server;

import java.security.Security;

/**
 * The JVM's cache of host names. By default it keeps an address for half a minute, and a failed
 * look-up for ten seconds. A node that was restarted elsewhere would not be found for that long;
 * and a connection refused by its old address, where another node may be by then, would count as
 * proof that it has ended.
 */
final class NameCache {
  private static final String TTL = "networkaddress.cache.ttl";
  private static final String NEGATIVE_TTL = "networkaddress.cache.negative.ttl";
  private static final String OFF = "0";

  private NameCache() {}

  /**
   * Turns the cache off, so that names are looked up for each connection. To be called before the
   * first look-up.
   */
  static void turnOff() {
    Security.setProperty(TTL, OFF);
    Security.setProperty(NEGATIVE_TTL, OFF);
  }
}
