package io.gauss.server;

import io.gauss.common.health.Problem;
import io.gauss.common.id.Lsn;
import io.gauss.storage.map.client.ClusterMapText;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.wire.LogHold;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The output of {@code gauss status}, as tables or as JSON.
 *
 * @param nodes processes as {@code nodes.json} has them, and their states
 * @param cluster storage nodes and streams; null where a node keeps log and pages itself
 * @param map the cluster map; null when there is none or it has no leader
 * @param local the stream of a node that keeps log and pages itself; null when there is none
 */
record StatusReport(
    List<Process> nodes, ClusterStatus cluster, MapAnswer.Status map, LocalStream local) {

  /** A process. */
  record Process(ClusterFile.Node node, String state) {}

  /**
   * A stream in files.
   *
   * @param pages how far the node's pages are; null when it does not report that
   * @param failure why it cannot be read; null when it can
   */
  record LocalStream(
      int stream, long start, long end, long lastLsn, NodePages pages, String failure) {}

  private static final String LOCAL = "%-8s %15s %15s %15s %15s %15s%n";
  private static final String PROCESS = "%-4s %-10s %-16s %6s %8s %s%n";
  private static final String STORAGE = "%-8s %-24s %12s %12s  %s%n";
  private static final String STREAM = "%-8s %8s %6s %15s %15s %15s %15s%n";
  private static final String REPLICA = "%-8s %8s %-9s %15s %15s %15s %15s %12s %9s%n";

  private static final String HOLD = "%-8s %8s %10s %15s %12s %9s%n";

  /** Whether nothing needs an operator. */
  boolean isWell() {
    return !nodes.isEmpty()
        && nodes.stream().allMatch(process -> process.state().equals("UP"))
        && (cluster == null || cluster.isWritable())
        && (local == null || local.failure() == null);
  }

  // ---- as tables

  String text() {
    StringBuilder text = new StringBuilder();
    if (!nodes.isEmpty()) {
      processes(text);
    }
    if (cluster != null) {
      storageNodes(text);
      streams(text);
    }
    if (local != null) {
      local(text);
    }
    if (map != null) {
      text.append(System.lineSeparator()).append(ClusterMapText.render(map));
    }
    return text.toString();
  }

  private void processes(StringBuilder text) {
    line(text, PROCESS, "id", "role", "host", "port", "pid", "state");
    for (Process process : nodes) {
      ClusterFile.Node node = process.node();
      line(
          text,
          PROCESS,
          node.id(),
          node.role(),
          node.host(),
          node.port(),
          node.pid(),
          process.state());
    }
  }

  private void local(StringBuilder text) {
    line(text, "%n");
    if (local.failure() != null) {
      line(text, "the log cannot be read: %s%n", local.failure());
      return;
    }
    line(text, LOCAL, "stream", "start", "end", "last LSN", "applied", "checkpointed");
    NodePages pages = local.pages();
    line(
        text,
        LOCAL,
        local.stream(),
        local.start(),
        local.end(),
        Lsn.toString(local.lastLsn()),
        pages == null ? "-" : pages.applied(),
        pages == null ? "-" : pages.checkpointed());
  }

  private void storageNodes(StringBuilder text) {
    line(text, "%n");
    line(text, STORAGE, "storage", "address", "redo waits", "disk free", "problems");
    for (ClusterStatus.Node node : cluster.nodes()) {
      line(
          text,
          STORAGE,
          node.node(),
          node.address(),
          node.answers() ? megabytes(node.status().pendingBytes()) : "-",
          node.answers() ? megabytes(node.status().freeBytes()) : "-",
          node.answers() ? problems(node) : "does not answer: " + node.failure());
    }
  }

  private static String problems(ClusterStatus.Node node) {
    return node.status().problems().isEmpty()
        ? "none"
        : node.status().problems().stream()
            .map(Problem::toString)
            .collect(Collectors.joining("; "));
  }

  private void streams(StringBuilder text) {
    line(text, "%n");
    line(text, STREAM, "stream", "leader", "epoch", "start", "end", "durable", "last LSN");
    for (ClusterStatus.Stream stream : cluster.streams()) {
      line(
          text,
          STREAM,
          stream.stream(),
          stream.leader() == 0 ? "none" : stream.leader(),
          stream.epoch(),
          stream.start(),
          stream.end(),
          stream.durable(),
          Lsn.toString(lastLsn(stream)));
    }
    line(text, "%n");
    line(
        text,
        REPLICA,
        "stream",
        "replica",
        "state",
        "log end",
        "committed",
        "applied",
        "checkpointed",
        "lag bytes",
        "lag ms");
    for (ClusterStatus.Stream stream : cluster.streams()) {
      stream.replicas().forEach(replica -> replica(text, stream, replica));
    }
    if (cluster.streams().stream().anyMatch(stream -> !stream.holds().isEmpty())) {
      holds(text);
    }
  }

  private void holds(StringBuilder text) {
    line(text, "%n");
    line(text, HOLD, "stream", "kept for", "tenure", "from", "bytes", "for s");
    for (ClusterStatus.Stream stream : cluster.streams()) {
      for (LogHold hold : stream.holds()) {
        line(
            text,
            HOLD,
            stream.stream(),
            hold.node(),
            hold.tenure(),
            hold.from(),
            hold.bytes(),
            TimeUnit.NANOSECONDS.toSeconds(hold.nanos()));
      }
    }
  }

  private static void replica(
      StringBuilder text, ClusterStatus.Stream stream, ClusterStatus.Replica replica) {
    var said = replica.said();
    String state = replica.state().name().toLowerCase(Locale.ROOT);
    if (said == null) {
      line(text, REPLICA, stream.stream(), replica.node(), state, "-", "-", "-", "-", "-", "-");
    } else {
      line(
          text,
          REPLICA,
          stream.stream(),
          replica.node(),
          state,
          said.logEnd(),
          said.durable(),
          said.applied(),
          said.checkpointed(),
          stream.lagBytes(replica),
          millis(said.lagNanos()));
    }
  }

  private static long lastLsn(ClusterStatus.Stream stream) {
    return stream.replicas().stream()
        .filter(replica -> replica.said() != null)
        .mapToLong(replica -> replica.said().lastLsn())
        .max()
        .orElse(Lsn.NONE);
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }

  private static String megabytes(long bytes) {
    return (bytes >> 20) + " MB";
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
  }

  // ---- as JSON

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("nodes", nodes.stream().map(StatusReport::json).toList());
    if (cluster != null) {
      json.put("storage", cluster.nodes().stream().map(StatusReport::json).toList());
      json.put("streams", cluster.streams().stream().map(StatusReport::json).toList());
    }
    if (local != null) {
      json.put("streams", List.of(json(local)));
    }
    if (map != null) {
      json.put("map", ClusterMapJson.of(map));
    }
    return json;
  }

  private static Map<String, Object> json(LocalStream stream) {
    Map<String, Object> json = new LinkedHashMap<>();
    if (stream.failure() != null) {
      json.put("failure", stream.failure());
      return json;
    }
    json.put("stream", stream.stream());
    json.put("start", stream.start());
    json.put("end", stream.end());
    json.put("lastLsn", Lsn.toString(stream.lastLsn()));
    if (stream.pages() != null) {
      json.put("applied", stream.pages().applied());
      json.put("checkpointed", stream.pages().checkpointed());
    }
    return json;
  }

  private static Map<String, Object> json(Process process) {
    ClusterFile.Node node = process.node();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.id());
    json.put("role", node.role());
    json.put("host", node.host());
    json.put("port", node.port());
    json.put("pid", node.pid());
    json.put("state", process.state());
    return json;
  }

  private static Map<String, Object> json(ClusterStatus.Node node) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.node());
    json.put("host", node.address().host());
    json.put("port", node.address().port());
    json.put("answers", node.answers());
    if (node.answers()) {
      json.put("pendingBytes", node.status().pendingBytes());
      json.put("freeBytes", node.status().freeBytes());
      json.put("problems", node.status().problems().stream().map(Problem::toString).toList());
    } else {
      json.put("failure", node.failure());
    }
    return json;
  }

  private static Map<String, Object> json(ClusterStatus.Stream stream) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("stream", stream.stream());
    json.put("leader", stream.leader() == 0 ? null : stream.leader());
    json.put("epoch", stream.epoch());
    json.put("start", stream.start());
    json.put("end", stream.end());
    json.put("durable", stream.durable());
    json.put("lastLsn", Lsn.toString(lastLsn(stream)));
    json.put("majority", stream.hasMajority());
    List<Map<String, Object>> replicas = new ArrayList<>();
    stream.replicas().forEach(replica -> replicas.add(json(stream, replica)));
    json.put("replicas", replicas);
    json.put("holds", stream.holds().stream().map(StatusReport::json).toList());
    return json;
  }

  private static Map<String, Object> json(LogHold hold) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", hold.node());
    json.put("tenure", hold.tenure());
    json.put("from", hold.from());
    json.put("bytes", hold.bytes());
    json.put("millis", hold.nanos() / 1e6);
    return json;
  }

  private static Map<String, Object> json(
      ClusterStatus.Stream stream, ClusterStatus.Replica replica) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", replica.node());
    json.put("state", replica.state().name().toLowerCase(Locale.ROOT));
    Optional.ofNullable(replica.said())
        .ifPresent(
            said -> {
              json.put("logEnd", said.logEnd());
              json.put("committed", said.durable());
              json.put("applied", said.applied());
              json.put("checkpointed", said.checkpointed());
              json.put("readableFrom", said.readableFrom());
              json.put("lagBytes", stream.lagBytes(replica));
              json.put("lagMillis", said.lagNanos() / 1e6);
            });
    return json;
  }
}
