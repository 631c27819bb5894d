package io.gauss.storage.map.message;

import io.gauss.storage.map.command.MapCommand;

/** What nodes and tools ask of the cluster map's replicas on the storage nodes. */
public sealed interface MapRequest {
  /**
   * Any replica: send me the map once its version is above this one.
   *
   * @param version that the asker has, 0 for none
   * @param waitMillis how long the answer may take when there is nothing newer
   */
  record Watch(long version, int waitMillis) implements MapRequest {}

  /** The leader: propose this command. */
  record Propose(MapCommand command) implements MapRequest {}

  /** The leader: renew a lease. */
  record Renew(MapCommand.Renewal renewal) implements MapRequest {}

  /** The leader, from a supervisor: the process has ended. */
  record ReportExit(int node, long incarnation) implements MapRequest {}

  /** The leader: the reporter cannot talk to another node; repeated while that is so. */
  record ReportUnreachable(int reporter, int reporterEpoch, int target, int targetEpoch)
      implements MapRequest {}

  /** Any replica: the map with its place in the Raft log, for a replica that fell behind. */
  record Snapshot() implements MapRequest {}

  /** Any node, storage node or not: which incarnation are you? Has a message type of its own. */
  record WhoAreYou() implements MapRequest {}

  /** The leader: the map, and how long leases are good for. */
  record Status() implements MapRequest {}
}
