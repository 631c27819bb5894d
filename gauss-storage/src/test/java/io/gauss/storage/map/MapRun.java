package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterMapChecker;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.codec.ClusterMapCodec;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Registered;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A cluster map to which commands are applied as in the service, through their encodings, with the
 * invariants checked after each.
 */
final class MapRun {
  static final UUID CLUSTER = new UUID(0x1112131415161718L, 0x2122232425262728L);

  private ClusterMap map = ClusterMap.EMPTY;
  private long incarnations = 100;

  ClusterMap map() {
    return map;
  }

  MapNode node(int id) {
    return map.node(id).orElseThrow();
  }

  MapResult apply(MapCommand command) {
    assertEquals(command, MapCommandCodec.decode(MapCommandCodec.encode(command)));
    Applied applied = ClusterMapTransitions.apply(map, command);
    assertEquals(List.of(), ClusterMapChecker.check(applied.map()), command::toString);
    assertEquals(List.of(), ClusterMapChecker.checkChange(map, applied.map()), command::toString);
    assertEquals(applied.map(), ClusterMapCodec.decode(ClusterMapCodec.encode(applied.map())));
    assertEquals(applied.result(), MapResultCodec.decode(MapResultCodec.encode(applied.result())));
    map = applied.map();
    return applied.result();
  }

  void done(MapCommand command) {
    assertEquals(MapResult.done(), apply(command), command::toString);
  }

  void refused(Refusal why, MapCommand command) {
    MapResult.Refused refused =
        assertInstanceOf(MapResult.Refused.class, apply(command), command::toString);
    assertEquals(why, refused.why(), refused::message);
  }

  /** A cluster with this many storage nodes, numbers 1 and up, that are UP. */
  static MapRun withStorage(int nodes) {
    MapRun run = new MapRun();
    run.done(
        new MapCommand.InitCluster(
            CLUSTER,
            ClusterMap.FORMAT_VERSION,
            ClusterSettings.DEFAULTS.with(ClusterSetting.STREAM_REPLICAS, Math.min(nodes, 3))));
    for (int i = 0; i < nodes; i++) {
      run.join(0, Role.STORAGE);
    }
    return run;
  }

  /** A registration by a node that knows the present map. */
  MapCommand.Register register(int node, long incarnation, Role... roles) {
    int follows = map.node(node).map(MapNode::epoch).orElse(0);
    return register(node, follows, incarnation, roles);
  }

  static MapCommand.Register register(int node, int follows, long incarnation, Role... roles) {
    return new MapCommand.Register(
        CLUSTER,
        node,
        follows,
        Set.of(roles),
        "",
        List.of(new Endpoint(Endpoint.Purpose.PEER, "127.0.0.1", 7000)),
        incarnation,
        1,
        1);
  }

  /** The same by a node whose build knows slices. */
  static MapCommand.Register knowingSlices(MapCommand.Register register) {
    return new MapCommand.Register(
        register.cluster(),
        register.node(),
        register.follows(),
        register.roles(),
        register.zone(),
        register.endpoints(),
        register.incarnation(),
        1,
        ClusterMap.FORMAT_WITH_SLICES);
  }

  /** Registers a node under a new incarnation. */
  Registered registered(int node, Role... roles) {
    return assertInstanceOf(
        Registered.class, apply(register(node, ++incarnations, roles)), () -> "register " + node);
  }

  /** Registers a node and takes it to UP, with all required acknowledgements. */
  Registered join(int node, Role... roles) {
    Registered registered = registered(node, roles);
    acknowledgeJoin(registered.epoch(), 0x500);
    done(
        new MapCommand.FinishJoin(
            registered.node(), registered.epoch(), Math.max(0x500, map.clockFloor())));
    return registered;
  }

  void acknowledgeJoin(int joiningEpoch, long clock) {
    for (int pending : List.copyOf(map.joins().get(joiningEpoch).pending())) {
      done(new MapCommand.AcknowledgeJoin(pending, node(pending).epoch(), joiningEpoch, clock));
    }
  }

  /** All required nodes acknowledge the death with this clock. */
  void acknowledgeDeath(int deadEpoch, long clock) {
    for (MapNode node : map.nodes().values()) {
      if (node.isLive() && map.deaths().containsKey(deadEpoch)) {
        done(new MapCommand.AcknowledgeDeath(node.id(), node.epoch(), deadEpoch, clock));
      }
    }
  }

  void expire(int node) {
    MapNode entry = node(node);
    done(new MapCommand.ExpireLease(node, entry.epoch(), entry.lease().renewals()));
  }
}
