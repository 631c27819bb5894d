package io.gauss.jdbc.cluster;

import java.util.regex.Pattern;

/**
 * Checks the names of hosts that come from a server. They become part of a URL, in which another
 * character could begin further hosts or parameters: {@code evil/gauss?sslmode=disable#} would
 * choose how the driver connects, and to whom it sends passwords.
 */
final class HostName {
  private static final int MAX_CHARACTERS = 253;

  /** Names of the DNS, also with underscores as in containers, and IPv4 addresses. */
  private static final Pattern NAME =
      Pattern.compile(
          "[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\\.?");

  /** An IPv6 address, with or without brackets; no zone, which only its own machine understands. */
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");

  private HostName() {}

  static boolean isValid(String host) {
    if (host == null || host.isEmpty() || host.length() > MAX_CHARACTERS) {
      return false;
    }
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (bracketed) {
      return IPV6.matcher(host.substring(1, host.length() - 1)).matches();
    }
    return NAME.matcher(host).matches() || IPV6.matcher(host).matches();
  }
}
