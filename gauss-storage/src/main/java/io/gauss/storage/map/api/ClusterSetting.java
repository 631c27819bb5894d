package io.gauss.storage.map.api;

/** Settings of the whole cluster, kept in the map. The numbers are part of formats. */
public enum ClusterSetting {
  /**
   * How long a renewal keeps a node alive, in milliseconds. A change applies to nodes that join
   * later.
   */
  LEASE_DURATION(1, "lease.duration", 3_000, 200, 600_000),
  /** How often a lease is renewed, in milliseconds; at most half the duration. */
  LEASE_RENEWAL(2, "lease.renewal", 1_000, 50, 300_000),
  /**
   * How much longer than the holder the granter waits, in milliseconds; at least a tenth of the
   * duration. Covers monotonic clocks that run at different rates.
   */
  LEASE_MARGIN(3, "lease.margin", 500, 20, 600_000),
  /** How many storage nodes a new stream is kept on. */
  STREAM_REPLICAS(4, "stream.replicas", 3, 1, 7),
  /**
   * For how long a compute node may take snapshots after another one has answered it, in
   * milliseconds: commits wait this long for a silent node.
   */
  CLOCK_LEASE(5, "clock.lease", 300, 100, 10_000),
  /** How many storage nodes keep each slice of the pages, where they do not keep all. */
  SLICE_REPLICAS(6, "slice.replicas", 3, 1, 7);

  private final int id;
  private final String settingName;
  private final int initial;
  private final int least;
  private final int most;

  ClusterSetting(int id, String settingName, int initial, int least, int most) {
    this.id = id;
    this.settingName = settingName;
    this.initial = initial;
    this.least = least;
    this.most = most;
  }

  public int id() {
    return id;
  }

  String settingName() {
    return settingName;
  }

  int initial() {
    return initial;
  }

  boolean allows(int value) {
    return value >= least && value <= most;
  }

  /** For messages: "200 to 600000". */
  String range() {
    return least + " to " + most;
  }

  /**
   * The setting of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static ClusterSetting of(int id) {
    for (ClusterSetting setting : values()) {
      if (setting.id == id) {
        return setting;
      }
    }
    throw new IllegalArgumentException("cluster setting " + id);
  }
}
