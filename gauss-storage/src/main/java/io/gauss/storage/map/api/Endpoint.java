package io.gauss.storage.map.api;

/**
 * The address at which a node can be reached for one purpose.
 *
 * @param port TCP port, 1 to 65,535
 */
public record Endpoint(Purpose purpose, String host, int port) {
  /** Purpose of an address. The numbers are part of formats. */
  public enum Purpose {
    /** Messages between nodes; every node has this one. */
    PEER(1),
    /** PostgreSQL's protocol, for clients. */
    SQL(2),
    /** Ratis, between storage nodes. */
    RAFT(3),
    /** Metrics and health over HTTP. */
    METRICS(4);

    private final int id;

    Purpose(int id) {
      this.id = id;
    }

    public int id() {
      return id;
    }

    /**
     * The purpose of this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Purpose of(int id) {
      for (Purpose purpose : values()) {
        if (purpose.id == id) {
          return purpose;
        }
      }
      throw new IllegalArgumentException("purpose of an address " + id);
    }
  }

  public Endpoint {
    if (host.isBlank() || host.length() > 255 || port < 1 || port > 65_535) {
      throw new IllegalArgumentException("address '" + host + "', port " + port);
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
