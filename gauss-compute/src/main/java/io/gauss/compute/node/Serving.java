package io.gauss.compute.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.task.CloseStack;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.ddl.DdlServices;
import io.gauss.compute.ddl.FirstPassword;
import io.gauss.compute.ddl.TableHandles;
import io.gauss.compute.pgwire.Credentials;
import io.gauss.compute.pgwire.PgServer;
import io.gauss.compute.pgwire.Reroutes;
import io.gauss.compute.pgwire.Tls;
import io.gauss.compute.session.SessionFactory;
import io.gauss.compute.sql.state.NodeState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Last phase of a compute node's start: clients can connect, and other nodes get answers.
 *
 * @param reroutes forwards transactions to better nodes; null when they are not forwarded
 * @param server null for a node without a port
 * @param drained completes when the cluster has asked the node to leave, and it has no session any
 *     more
 */
record Serving(
    SessionFactory sessions, Reroutes reroutes, PgServer server, CompletableFuture<Void> drained) {
  private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

  /**
   * @param opened gets the resources to close
   * @throws GaussException 58030 when the port is not available, 28P01 when the node listens for
   *     clients of other machines and there is no password, 58030 or 22023 when the file for the
   *     first password does not have one
   */
  static Serving open(
      NodeSettings settings, Foundations foundations, SqlLayer sql, CloseStack opened) {
    sql.warmUp();
    NodeEngine node = foundations.node();
    SessionFactory sessions =
        new SessionFactory(sql.services(), settings.get(NodeSettingTable.LOG_MIN_DURATION));
    Reroutes reroutes =
        settings.get(NodeSettingTable.ROUTING_REROUTE) && node.isInCluster()
            ? new Reroutes(
                sessions.forwarded(),
                slot -> hostOf(sql.inspection(), slot),
                node::isUnrecovered,
                node::deathNanos,
                () -> TimeUnit.MICROSECONDS.toMillis(sql.routing().nowMicros()),
                sql.routing().reroutes())
            : null;
    setFirstPassword(settings, foundations, sql.ddl());
    Tls tls = tls(settings);
    InetAddress listen = listenAddress(settings, sql.catalog());
    PgServer server =
        new PgServer(
            new PgServer.Settings(
                listen,
                settings.port(),
                settings.get(NodeSettingTable.CONNECTIONS_MAX),
                settings.get(NodeSettingTable.CONNECTIONS_RESERVED),
                settings.get(NodeSettingTable.CONNECTIONS_STARTING),
                settings.get(NodeSettingTable.COMPUTE_EVENT_LOOPS),
                (int) settings.get(NodeSettingTable.AUTH_TIMEOUT).toSeconds(),
                settings.get(NodeSettingTable.TLS_REQUIRED)),
            sessions,
            node.engine().log(),
            new Credentials(
                sql.catalog(),
                trust(settings, listen),
                MockSecret.of(settings),
                ComputeNode::microsSince2000),
            tls,
            node.gate(),
            reroutes);
    opened.add(server);
    ClientAddress clients = settings.clients().withPort(server.port());
    sql.clients().set(clients);
    node.answer(sql.services().cluster());
    sessions.forwarded().open(server.port(), tls == null ? new byte[0] : tls.certificateHash());
    node.answer(sql.routing());
    Serving serving = new Serving(sessions, reroutes, server, new CompletableFuture<>());
    node.draining().thenRun(() -> serving.drain(settings.get(NodeSettingTable.DRAIN_GRACE)));
    node.serves(new NodeLeftovers(foundations, sql.ddl()));
    node.openToClients(clients);
    return serving;
  }

  /**
   * The same without a port: the process that embeds the node opens sessions for its clients, and
   * ends them when {@link #drained} completes.
   *
   * @param settings whose port the cluster is told
   */
  static Serving openWithoutPort(NodeSettings settings, Foundations foundations, SqlLayer sql) {
    NodeEngine node = foundations.node();
    SessionFactory sessions =
        new SessionFactory(sql.services(), settings.get(NodeSettingTable.LOG_MIN_DURATION));
    ClientAddress clients = settings.clients().withPort(settings.port());
    sql.clients().set(clients);
    node.answer(sql.services().cluster());
    node.answer(sql.routing());
    Serving serving = new Serving(sessions, null, null, new CompletableFuture<>());
    node.draining().thenRun(() -> serving.drained.complete(null));
    node.serves(new NodeLeftovers(foundations, sql.ddl()));
    node.openToClients(clients);
    return serving;
  }

  /**
   * Clients of other machines are not admitted without a password, so listening for them is useful,
   * and intended, only once there is one.
   */
  private static InetAddress listenAddress(NodeSettings settings, Catalog catalog) {
    String listen = settings.get(NodeSettingTable.LISTEN_ADDRESS);
    InetAddress address;
    try {
      address = InetAddress.getByName(listen);
    } catch (UnknownHostException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "setting listen.address = \"%s\" is no address of this machine".formatted(listen),
          e);
    }
    RoleDef first = catalog.current().role(RoleDef.BOOTSTRAP.oid());
    if (!address.isLoopbackAddress() && first.verifier() == null) {
      throw new GaussException(
          SqlState.INVALID_PASSWORD,
          "listen.address = %s: role \"%s\" has no password yet; set one with ALTER ROLE %s"
                  .formatted(listen, first.name(), first.name())
              + " PASSWORD '...' while the node listens on 127.0.0.1");
    }
    return address;
  }

  private static Credentials.Trust trust(NodeSettings settings, InetAddress listen) {
    if (!listen.isLoopbackAddress()) {
      return Credentials.Trust.NONE;
    }
    return switch (settings.get(NodeSettingTable.AUTH_LOOPBACK)) {
      case SCRAM -> Credentials.Trust.NONE;
      case TRUST -> Credentials.Trust.WITHOUT_PASSWORD;
      case TRUST_ALL -> Credentials.Trust.ALL;
    };
  }

  private static void setFirstPassword(
      NodeSettings settings, Foundations foundations, DdlServices ddl) {
    Optional<Path> file = settings.get(NodeSettingTable.AUTH_PASSWORD_FILE);
    if (file.isPresent()
        && FirstPassword.setIfMissing(
            ddl,
            new TableHandles(ddl),
            foundations.transactions(),
            foundations.node().engine().newContext(),
            () -> PasswordFile.read(file.get()))) {
      LOG.info(
          "role \"{}\" has got its first password from {}", RoleDef.BOOTSTRAP.name(), file.get());
    }
  }

  private static Tls tls(NodeSettings settings) {
    NodeSettings.TlsFiles files = settings.tls();
    if (files == null) {
      return null;
    }
    if (files.generate()) {
      SelfSigned.ensure(files.certificate(), files.key());
    }
    return Tls.of(files.certificate(), files.key());
  }

  /** The host on which the node of a slot takes clients; null when it does not serve. */
  private static String hostOf(NodeInspection inspection, int slot) {
    for (NodeState.Node node : inspection.nodes()) {
      if (node.slot() == slot) {
        return node.state().startsWith(ComputeNode.SERVING) ? node.host() : null;
      }
    }
    return null;
  }

  /** The cluster asks the node to leave. On a thread of the cluster map's client: does not wait. */
  void drain(Duration grace) {
    LOG.info(
        "drained: takes no more connections; transactions may continue for {} s",
        grace.toSeconds());
    server
        .drain(grace)
        .thenRun(
            () -> {
              LOG.info("drained: no session is left");
              drained.complete(null);
            });
  }
}
