package io.gauss.common.config;

import static io.gauss.common.config.NodeKind.COMPUTE;
import static io.gauss.common.config.NodeKind.MEMORY;
import static io.gauss.common.config.NodeKind.STORAGE;

import io.gauss.common.config.NodeSetting.Effect;
import io.gauss.common.config.NodeSetting.Fallback;
import io.gauss.common.config.NodeSetting.Spread;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * All settings of nodes. To add one, add a row here, read it with {@link
 * SettingValues#get(NodeSetting)}, and regenerate the page {@code docs/settings.md} (its test
 * prints it).
 *
 * <p>A name that means the same on nodes of several kinds is one row; if kinds differ in default or
 * range, there is a row for each.
 */
public final class NodeSettingTable {
  private static final int MOST_NODES = 65_535;
  private static final long MB = 1L << 20;
  private static final long GB = 1L << 30;
  private static final int DAY_SECONDS = 86_400;

  private static final List<NodeSetting<?>> ROWS = new ArrayList<>();

  /** How clients on the same machine authenticate. */
  public enum Loopback {
    TRUST,
    SCRAM,
    TRUST_ALL
  }

  /** Whether clients can encrypt, and with which certificate. */
  public enum ClientTls {
    OFF,
    ON,
    GENERATE
  }

  /** How long a compute node in a cluster with others keeps rights to pages. */
  public enum PageRights {
    UNTIL_WANTED,
    ALONE,
    PER_TRANSACTION
  }

  // ---- memory and threads

  public static final NodeSetting<Long> POOL_SIZE =
      row(
          "pool.size",
          SettingType.bytes("8MB"),
          computed(
              () -> bytesOfMemory(4, 8 * MB, 2 * GB),
              "a quarter of the machine's or container's memory, at most 2GB"),
          "size of the buffer pool",
          COMPUTE);

  public static final NodeSetting<Integer> COMPUTE_EVENT_LOOPS =
      row(
          "threads.event-loops",
          SettingType.number(1, 1024),
          computed(() -> "" + processors(), "number of processors"),
          "threads that serve connections",
          COMPUTE);

  public static final NodeSetting<Integer> MEMORY_EVENT_LOOPS =
      row(
          "threads.event-loops",
          SettingType.number(1, 256),
          computed(() -> "" + Math.max(1, processors() / 2), "half of the processors"),
          "threads that serve buckets; each bucket belongs to one",
          MEMORY);

  public static final NodeSetting<Integer> DIRECTORY_ENTRIES =
      row(
          "directory.entries",
          SettingType.number(1_000, 2_000_000_000),
          fixed("1000000"),
          "pages that the node knows of at a time, about 57 bytes off-heap for each. When it is"
              + " full, entries go that tell nothing that the storage nodes do not know; if there"
              + " are none for 5 s, a page that is not known is refused with 53200",
          MEMORY);

  public static final NodeSetting<Long> CACHE_SIZE =
      row(
          "cache.size",
          SettingType.bytes("bytes", "129KB"),
          fixed("256MB"),
          "memory for pages' bytes; at least 129 KB for each event loop",
          MEMORY);

  public static final NodeSetting<Integer> LOCKS_MAX =
      row(
          "locks.max",
          SettingType.number(1_000, 100_000_000),
          fixed("100000"),
          "locks that some node has or wants; one more is refused with 53200",
          MEMORY);

  public static final NodeSetting<Integer> ADVISORY_LOCKS =
      row(
          "locks.advisory",
          SettingType.number(100, 10_000_000),
          fixed("50000"),
          "advisory locks that sessions of the node have or want, some 400 bytes each; one more is"
              + " refused with 53200. Memory nodes keep at most half of `locks.max` of all nodes'",
          COMPUTE);

  public static final NodeSetting<Long> NOTIFICATIONS_QUEUE =
      row(
          "notifications.queue",
          SettingType.bytes("1MB"),
          fixed("32MB"),
          "memory for notifications that wait for the node's sessions that listen, or for the"
              + " outcomes of their transactions; while it is full, transactions of all nodes that"
              + " notify are refused with 54000",
          COMPUTE);

  // ---- log and pages

  public static final NodeSetting<Long> CHECKPOINT_BYTES =
      row(
          "checkpoint.bytes",
          SettingType.bytes("1MB"),
          fixed("1GB"),
          "a checkpoint is made after so much log; it takes its time, up to half of the time and"
              + " log bytes until the next",
          COMPUTE,
          STORAGE);

  public static final NodeSetting<Duration> CHECKPOINT_SECONDS =
      row(
          "checkpoint.seconds",
          SettingType.seconds(1, DAY_SECONDS),
          fixed("300"),
          "... and after so much time, if anything was written",
          COMPUTE,
          STORAGE);

  private static final String REDO_MEMORY_PURPOSE =
      "memory for redo that the page store has taken and not yet folded into pages. The more, the"
          + " fewer times a page is written; when it is all taken, writers are slowed";

  public static final NodeSetting<Long> COMPUTE_REDO_MEMORY =
      row(
          "pages.redo-memory",
          SettingType.bytes("16MB"),
          computed(() -> bytesOfMemory(24, 16 * MB, GB), "a 24th of the memory, at most 1GB"),
          REDO_MEMORY_PURPOSE + ". Of no effect with storage nodes",
          COMPUTE);

  public static final NodeSetting<Long> STORAGE_REDO_MEMORY =
      row(
          "pages.redo-memory",
          SettingType.bytes("16MB"),
          fixed("128MB"),
          REDO_MEMORY_PURPOSE,
          STORAGE);

  public static final NodeSetting<Long> PAGES_WRITE_RATE =
      row(
          "pages.write-rate",
          SettingType.bytes("bytes a second", "1MB"),
          fixed("256MB"),
          "most that the page store's flushes and compactions write, so that forces of the log do"
              + " not wait behind them",
          COMPUTE,
          STORAGE);

  public static final NodeSetting<Long> LOG_KEEP =
      row(
          "log.keep",
          SettingType.bytes("0"),
          fixed("1GB"),
          "log kept beyond the last checkpoint for storage nodes that are away",
          STORAGE);

  public static final NodeSetting<Duration> SNAPSHOT_MAX_AGE =
      row(
          "snapshot.max-age",
          SettingType.seconds(0, 30 * DAY_SECONDS),
          fixed("86400"),
          "a connection whose transaction or cursor has had a snapshot for longer is ended with"
              + " 25P04, since undo and deleted rows of all nodes are kept for it; 0 = never",
          COMPUTE);

  public static final NodeSetting<Integer> LOG_KEEP_BATCHES =
      row(
          "log.keep-batches",
          SettingType.number(1_000, 100_000_000),
          fixed("250000"),
          "... and of how many batches of redo at most, of all streams together: a batch takes"
              + " about 250 bytes of memory as long as it is in the log, and small commits make"
              + " many. Streams with few batches keep them all. After half as many a checkpoint is"
              + " made",
          STORAGE);

  public static final NodeSetting<Long> DISK_RESERVE =
      row(
          "disk.reserve",
          SettingType.bytes("0"),
          fixed("256MB"),
          "with less room on its disk the node refuses appends",
          STORAGE);

  public static final NodeSetting<Duration> STORAGE_TIMEOUT =
      row(
          "storage.timeout",
          SettingType.seconds(1, DAY_SECONDS),
          fixed("10"),
          "when nothing of the log has become durable for so long although something waits for it,"
              + " writers and commits fail with 57P03: [no quorum](operations.md#no-quorum); so"
              + " does a read of a page that no storage node has given for so long, and a"
              + " connection whose answer has been held for so long because the node has no lease",
          COMPUTE);

  // ---- the cluster

  public static final NodeSetting<String> STORAGE_NODES =
      row(
          "storage.nodes",
          SettingType.text("number@host:port:raft-port, with commas between several"),
          fixed(""),
          "the storage nodes with which the cluster begins, from which others learn the rest; the"
              + " first should lead. A compute node without any keeps log and pages itself",
          Spread.DECIDED_BY_UP,
          EnumSet.allOf(NodeKind.class));

  public static final NodeSetting<Optional<Path>> CLUSTER_KEY =
      row(
          "cluster.key",
          SettingType.file(),
          new Fallback(() -> "", "`cluster.key` in the data directory"),
          "the secret by which nodes recognise each other",
          Spread.DECIDED_BY_UP,
          EnumSet.allOf(NodeKind.class));

  public static final NodeSetting<Integer> CLUSTER_NODE =
      row(
          "cluster.node",
          SettingType.number(1, MOST_NODES),
          fixed("1"),
          "the node's number in a cluster with storage nodes",
          Spread.DECIDED_BY_UP,
          EnumSet.of(COMPUTE));

  public static final NodeSetting<Duration> CLUSTER_LEASE =
      add(
          new NodeSetting<>(
              "cluster.lease",
              SettingType.seconds(1, 600),
              fixed("3"),
              EnumSet.of(STORAGE),
              Spread.EVERY_NODE,
              Effect.IN_NEW_CLUSTER,
              "for how long a compute or memory node may answer after it was last heard of"));

  public static final NodeSetting<Duration> CLUSTER_CLOCK_LEASE =
      add(
          new NodeSetting<>(
              "cluster.clock-lease",
              SettingType.millis(100, 10_000),
              fixed("300"),
              EnumSet.of(STORAGE),
              Spread.EVERY_NODE,
              Effect.IN_NEW_CLUSTER,
              "for how long commits wait for a compute node that does not answer another one; a"
                  + " shorter one bears shorter pauses of a process. Where nodes take long to"
                  + " answer, for want of processors for example, [it is"
                  + " longer](protocols/clocks.md#overload)"));

  public static final NodeSetting<String> PEER_ADDRESS =
      row(
          "peer.address",
          SettingType.name("address"),
          fixed("127.0.0.1"),
          "where the cluster's other nodes reach this one. That of a storage node is in"
              + " `storage.nodes`",
          COMPUTE,
          MEMORY);

  public static final NodeSetting<Integer> PEER_PORT =
      row(
          "peer.port",
          SettingType.port(),
          new Fallback(() -> "0", "0 = any"),
          "port for them",
          Spread.ONE_NODE,
          EnumSet.of(COMPUTE, MEMORY));

  public static final NodeSetting<String> PEER_LISTEN =
      row(
          "peer.listen",
          SettingType.text("address"),
          new Fallback(() -> "", "the one that others are told"),
          "on which other nodes are listened for, when that is not the address that they are told:"
              + " `0.0.0.0` in a container whose `peer.address` is a name. Storage nodes take it"
              + " for both of their ports",
          COMPUTE,
          MEMORY,
          STORAGE);

  public static final NodeSetting<Optional<Path>> PEER_TLS_CERTIFICATE =
      row(
          "peer.tls.certificate",
          SettingType.file(),
          none(),
          "encryption between nodes, for all of them alike: this node's certificate (PEM). Both"
              + " sides show theirs, on Raft's ports too; names in them are not compared with"
              + " addresses, but with the node's number if a cluster's own authority has signed"
              + " them",
          COMPUTE,
          MEMORY,
          STORAGE);

  public static final NodeSetting<Optional<Path>> PEER_TLS_KEY =
      row(
          "peer.tls.key",
          SettingType.file(),
          none(),
          "... its key (PEM, PKCS #8, no password)",
          COMPUTE,
          MEMORY,
          STORAGE);

  public static final NodeSetting<Optional<Path>> PEER_TLS_AUTHORITY =
      row(
          "peer.tls.authority",
          SettingType.file(),
          none(),
          "... and the certificates that others' must be signed with",
          COMPUTE,
          MEMORY,
          STORAGE);

  public static final NodeSetting<Boolean> PEER_PLAINTEXT =
      row(
          "peer.plaintext",
          SettingType.onOff(),
          fixed("off"),
          "whether the node may be reached by other machines without `peer.tls.*`. Nobody can"
              + " change messages between nodes then (authenticating them takes each side a quarter"
              + " of a microsecond, and 5 µs for one with a page), but whoever can read the network"
              + " reads all data: [security](operations.md#security)",
          COMPUTE,
          MEMORY,
          STORAGE);

  public static final NodeSetting<String> ZONE =
      row(
          "zone",
          SettingType.text("name"),
          none(),
          "where the node stands: a compute node's stream is led by a storage node of the same zone"
              + " if there is one, and streams are kept in several zones if there are several",
          COMPUTE,
          MEMORY,
          STORAGE);

  public static final NodeSetting<PageRights> PAGES_RIGHTS =
      row(
          "pages.rights",
          SettingType.oneOf(PageRights.class),
          fixed("until-wanted"),
          "of compute nodes beside others: how long they keep rights to pages. The other two are"
              + " for measuring what that is worth: with `alone` a page is on one node at a time,"
              + " also to be read; with `per-transaction` pages go home when some transaction of"
              + " the node has ended",
          COMPUTE);

  public static final NodeSetting<Duration> DRAIN_GRACE =
      row(
          "drain.grace",
          SettingType.seconds(0, DAY_SECONDS),
          fixed("60"),
          "for how long transactions may continue after [`gauss drain`](operations.md#elastic)",
          COMPUTE);

  // ---- routing

  public static final NodeSetting<Integer> ROUTING_SAMPLES =
      row(
          "routing.samples",
          SettingType.number("transactions a second", 0, 10_000),
          fixed("100"),
          "transactions that the node [samples](operations.md#routing) at most to learn where"
              + " transactions should run, in [equal shares](routing.md#shares) for its roles; 0 ="
              + " none: nothing is learned of them, and the node [offers](routing.md#pages-follow)"
              + " no pages, since it does not know which ones they use",
          COMPUTE);

  public static final NodeSetting<Integer> ROUTING_PLACEMENT =
      row(
          "routing.placement",
          SettingType.number("pages a second", 0, 100_000),
          fixed("2000"),
          "pages that the node gets at most [before they are wanted](operations.md#placement),"
              + " since it is to own them; 0 = none, and none is offered",
          COMPUTE);

  public static final NodeSetting<Boolean> ROUTING_LEARNING =
      row(
          "routing.learning",
          SettingType.onOff(),
          fixed("on"),
          "whether the node learns from samples where transactions belong, while there are other"
              + " compute nodes and it is the one with the lowest slot:"
              + " [routing](operations.md#routing). Set it alike on all compute nodes",
          COMPUTE);

  public static final NodeSetting<String> ROUTING_EXCLUDE =
      row(
          "routing.exclude",
          SettingType.text("names of tables, with commas between several"),
          none(),
          "tables whose values the node does not learn from, and does not publish to drivers:"
              + " transactions whose first statement names one of them, or a view of one, are not"
              + " routed by values ([routing](routing.md#privacy)). Set it alike on all compute"
              + " nodes",
          COMPUTE);

  public static final NodeSetting<Boolean> ROUTING_REROUTE =
      row(
          "routing.reroute",
          SettingType.onOff(),
          fixed("on"),
          "whether the node forwards transactions of clients without Gauss's driver to a better"
              + " node, if there is one: [routing](routing.md#clients-without-the-driver). Other"
              + " nodes have to be reached at their ports for clients; whether they forward any"
              + " themselves does not matter",
          COMPUTE);

  // ---- clients

  public static final NodeSetting<String> LISTEN_ADDRESS =
      row(
          "listen.address",
          SettingType.name("address"),
          fixed("127.0.0.1"),
          "on which clients are listened for; `0.0.0.0` = all. Off this machine only when role"
              + " `gauss` has a password: [security](operations.md#security)",
          COMPUTE);

  public static final NodeSetting<String> ADVERTISE_ADDRESS =
      row(
          "advertise.address",
          SettingType.text("host or host:port"),
          new Fallback(
              () -> "",
              "`peer.address` with storage nodes, otherwise the address that is listened on"),
          "where clients reach the node, as drivers and other compute nodes are told, when that is"
              + " neither: a name, an IPv4 address or an IPv6 address (with a port in brackets),"
              + " and the port if it is another one than the node's own, as behind a container's"
              + " published port",
          COMPUTE);

  public static final NodeSetting<Integer> CONNECTIONS_MAX =
      row(
          "connections.max",
          SettingType.number(1, 1_000_000),
          fixed("10000"),
          "sessions of clients; one more is refused with 53300",
          COMPUTE);

  public static final NodeSetting<Integer> CONNECTIONS_RESERVED =
      row(
          "connections.reserved",
          SettingType.number(0, 1_000_000),
          fixed("3"),
          "so many of them are for superusers only, others get 53300 before; those who have to look"
              + " what is wrong still get in",
          COMPUTE);

  public static final NodeSetting<Integer> CONNECTIONS_STARTING =
      row(
          "connections.starting",
          SettingType.number(1, 1_000_000),
          fixed("1000"),
          "connections that have no session yet, because they have not authenticated, beside those"
              + " of `connections.max`; one more closes the oldest of them",
          COMPUTE);

  public static final NodeSetting<Loopback> AUTH_LOOPBACK =
      row(
          "auth.loopback",
          SettingType.oneOf(Loopback.class),
          fixed("trust"),
          "whether clients of the same machine need a password. With `trust` they do as roles that"
              + " have one, with `trust-all`, which is for setting a lost one, they do not; with"
              + " either they do when `listen.address` is not a loopback address",
          COMPUTE);

  public static final NodeSetting<Optional<Path>> AUTH_PASSWORD_FILE =
      row(
          "auth.password-file",
          SettingType.file(),
          none(),
          "a file whose first line is the password that role `gauss` gets at a start if it has none"
              + " yet; read only then",
          COMPUTE);

  public static final NodeSetting<Duration> AUTH_TIMEOUT =
      row(
          "auth.timeout",
          SettingType.seconds(1, 600),
          fixed("60"),
          "a connection that has not started a session by then is closed",
          COMPUTE);

  public static final NodeSetting<ClientTls> TLS =
      row(
          "tls",
          SettingType.oneOf(ClientTls.class),
          fixed("off"),
          "encryption: `on` with the two files below; `generate` makes a self-signed certificate in"
              + " `tls/` of the data directory",
          COMPUTE);

  public static final NodeSetting<Optional<Path>> TLS_CERTIFICATE =
      row(
          "tls.certificate",
          SettingType.file(),
          none(),
          "certificate (PEM, with the chain behind it); given with `tls.key` it means `on`",
          COMPUTE);

  public static final NodeSetting<Optional<Path>> TLS_KEY =
      row("tls.key", SettingType.file(), none(), "its key (PEM, PKCS #8, no password)", COMPUTE);

  public static final NodeSetting<Boolean> TLS_REQUIRED =
      row(
          "tls.required",
          SettingType.onOff(),
          fixed("off"),
          "whether clients that do not encrypt are refused (28000), also those of this machine",
          COMPUTE);

  public static final NodeSetting<Integer> LOG_MIN_DURATION =
      row(
          "log.min-duration-statement",
          SettingType.number("ms", -1, Integer.MAX_VALUE),
          new Fallback(() -> "-1", "-1 = none"),
          "`log_min_duration_statement` of new sessions:"
              + " [slow statements](operations.md#slow-statements)",
          COMPUTE);

  // ---- metrics

  public static final NodeSetting<Integer> METRICS_PORT =
      row(
          "metrics.port",
          SettingType.port(),
          new Fallback(() -> "0", "0 = none"),
          "serves `/metrics`, `/health` and `/ready` by HTTP",
          Spread.ONE_NODE,
          EnumSet.allOf(NodeKind.class));

  public static final NodeSetting<String> METRICS_ADDRESS =
      row(
          "metrics.address",
          SettingType.name("address"),
          fixed("127.0.0.1"),
          "on which it does. There is no password: keep it off networks that you do not trust",
          COMPUTE,
          MEMORY,
          STORAGE);

  private NodeSettingTable() {}

  /** All rows, related ones next to each other. */
  static List<NodeSetting<?>> rows() {
    return List.copyOf(ROWS);
  }

  /** The rows of a kind of node. */
  static List<NodeSetting<?>> of(NodeKind kind) {
    return ROWS.stream().filter(row -> row.kinds().contains(kind)).toList();
  }

  /** The setting with that name for a kind of node; empty when there is none. */
  public static Optional<NodeSetting<?>> find(NodeKind kind, String name) {
    return ROWS.stream()
        .filter(row -> row.name().equals(name) && row.kinds().contains(kind))
        .findAny();
  }

  /** The kinds of nodes that have a setting of that name; none when it is unknown. */
  public static Set<NodeKind> kindsWith(String name) {
    Set<NodeKind> kinds = EnumSet.noneOf(NodeKind.class);
    ROWS.stream().filter(row -> row.name().equals(name)).forEach(row -> kinds.addAll(row.kinds()));
    return kinds;
  }

  private static <T> NodeSetting<T> row(
      String name,
      SettingType<T> type,
      Fallback fallback,
      String purpose,
      NodeKind first,
      NodeKind... more) {
    return row(name, type, fallback, purpose, Spread.EVERY_NODE, EnumSet.of(first, more));
  }

  private static <T> NodeSetting<T> row(
      String name,
      SettingType<T> type,
      Fallback fallback,
      String purpose,
      Spread spread,
      Set<NodeKind> kinds) {
    return add(new NodeSetting<>(name, type, fallback, kinds, spread, Effect.AT_START, purpose));
  }

  private static <T> NodeSetting<T> add(NodeSetting<T> row) {
    ROWS.add(row);
    return row;
  }

  private static Fallback fixed(String text) {
    return new Fallback(() -> text, text.isEmpty() ? "none" : text);
  }

  private static Fallback none() {
    return fixed("");
  }

  private static Fallback computed(Supplier<String> text, String description) {
    return new Fallback(text, description);
  }

  private static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** A fraction of the memory that this process may use; in a container, of the container's. */
  private static String bytesOfMemory(int part, long least, long most) {
    long all =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getTotalMemorySize();
    return Long.toString(Math.clamp(all / part, least, most));
  }
}
