package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.message.MessageReader;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * From the first byte of a connection to its session: requests for encryption and to cancel, the
 * start-up packet, and authentication. Belongs to the connection's event loop.
 */
final class SessionStart {
  private final PgConnection connection;
  private final PgServer server;
  private final InputBuffer in;
  private final BackendWriter out;
  private final MessageReader reader = new MessageReader();
  private boolean sslAsked;
  private boolean gssAsked;
  private boolean encrypted;
  private boolean ended;
  private String user;
  private Authentication authentication;
  private Session session;

  SessionStart(PgConnection connection, PgServer server) {
    this.connection = connection;
    this.server = server;
    this.in = connection.input();
    this.out = connection.output();
  }

  /**
   * Takes the received bytes.
   *
   * @return the session once the client is admitted; null = more input is needed, or it {@link
   *     #isEnded}
   * @throws GaussException when the client is refused
   */
  Session read() {
    readPackets();
    if (authentication != null) {
      authenticate();
    }
    return session;
  }

  /** Whether the connection is finished: it was a request to cancel, or not a PostgreSQL client. */
  boolean isEnded() {
    return ended;
  }

  /** The role as which the client wants to log in; null before it has said so. */
  String user() {
    return user;
  }

  private void readPackets() {
    while (session == null
        && authentication == null
        && !ended
        && in.available() >= 2 * PgProtocol.LENGTH_BYTES) {
      int length = in.intAt(0);
      if (length < 2 * PgProtocol.LENGTH_BYTES || length > PgProtocol.MAX_STARTUP_BYTES) {
        // Not our protocol: like PostgreSQL, send nothing that a port scanner could use.
        ended = true;
        return;
      }
      if (in.available() < length) {
        return;
      }
      int code = in.intAt(PgProtocol.LENGTH_BYTES);
      reader.wrap(in.array(), in.start() + 2 * PgProtocol.LENGTH_BYTES, in.start() + length);
      in.consume(length);
      if (code == PgProtocol.SSL_REQUEST && !sslAsked) {
        sslAsked = true;
        if (server.tls() == null || encrypted) {
          refuseEncryption("SSL");
        } else {
          encrypt();
        }
      } else if (code == PgProtocol.GSSENC_REQUEST && !gssAsked) {
        gssAsked = true;
        refuseEncryption("GSSAPI encryption");
      } else if (code == PgProtocol.CANCEL_REQUEST) {
        server.sessions().cancelByKey(reader.readInt(), reader.readInt());
        ended = true;
        return;
      } else if (code == PgProtocol.PASS_REQUEST) {
        if (server.tls() != null && !encrypted) {
          throw new GaussException(
              SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
              "transactions are forwarded to this node by encrypted connections only");
        }
        server.admitForwarded(connection);
        session =
            server.sessions().openForwarded(reader.readLong(), reader.readLong(), connection, out);
      } else {
        start(code);
      }
    }
  }

  /**
   * Encrypts everything from here on. Bytes that came with the request were sent unencrypted, so an
   * attacker may have inserted them.
   */
  private void encrypt() {
    if (in.available() > 0) {
      refuseEncryption("SSL");
    }
    out.raw('S');
    ChannelHandlerContext ctx = connection.context();
    sendNow(ctx);
    ctx.pipeline().addFirst(server.tls().handler(ctx.alloc()));
    encrypted = true;
  }

  /** Bytes sent without waiting for the answer were not meant to be read unencrypted. */
  private void refuseEncryption(String kind) {
    out.raw('N');
    out.mark();
    if (in.available() > 0) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "received unencrypted data after %s request".formatted(kind));
    }
    sendNow(connection.context());
  }

  /**
   * Not held back while this node may not answer clients, since it reveals nothing about data.
   * Clients do not show an error that comes in place of this answer, since it could be an
   * attacker's.
   */
  private void sendNow(ChannelHandlerContext ctx) {
    ctx.writeAndFlush(out.drain(ctx.alloc()), ctx.voidPromise());
  }

  private void start(int code) {
    int major = code >>> 16;
    if (major != PgProtocol.PROTOCOL_3_0 >>> 16) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "unsupported frontend protocol %d.%d: server supports 3.0 to 3.0"
              .formatted(major, code & 0xFFFF));
    }
    StartUpPacket packet = StartUpPacket.read(reader);
    user = packet.user();
    if (server.settings().tlsRequired() && !encrypted) {
      throw new GaussException(
          SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
          "this node takes encrypted connections only");
    }
    if ((code & 0xFFFF) != 0 || !packet.unknownOptions().isEmpty()) {
      out.negotiateProtocolVersion(packet.unknownOptions());
      out.mark();
    }
    if (packet.user().isEmpty()) {
      throw new GaussException(
          SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
          "no PostgreSQL user name specified in startup packet");
    }
    InetAddress peer =
        ((InetSocketAddress) connection.context().channel().remoteAddress()).getAddress();
    if (server.credentials().trusts(peer, packet.user())) {
      openSession(packet);
      return;
    }
    byte[] endPoint = encrypted ? server.tls().endPoint() : null;
    authentication = new Authentication(packet, server.credentials(), endPoint, out);
    authentication.offer();
    out.mark();
  }

  /** Takes the client's SASL messages, one after the other. */
  private void authenticate() {
    while (session == null && in.available() >= 1 + PgProtocol.LENGTH_BYTES) {
      byte type = (byte) in.byteAt(0);
      int length = in.intAt(1);
      if (type != PgProtocol.PASSWORD) {
        throw new GaussException(
            SqlState.PROTOCOL_VIOLATION,
            "expected SASL response, got message type " + (type & 0xFF));
      }
      if (length < PgProtocol.LENGTH_BYTES || length > Authentication.MAX_MESSAGE_BYTES) {
        throw new GaussException(SqlState.PROTOCOL_VIOLATION, "invalid message length");
      }
      if (in.available() < 1 + length) {
        return;
      }
      int body = in.start() + 1 + PgProtocol.LENGTH_BYTES;
      reader.wrap(in.array(), body, in.start() + 1 + length);
      in.consume(1 + length);
      boolean isLetIn = authentication.take(reader);
      out.mark();
      if (isLetIn) {
        openSession(authentication.packet());
      }
    }
  }

  private void openSession(StartUpPacket packet) {
    server.admit(connection, server.sessions().isSuperuser(packet.user()));
    out.authenticationOk();
    out.mark();
    try {
      session = server.sessions().open(packet.parameters(), out);
    } catch (GaussException e) {
      out.resetToMark();
      out.requireVisible(server.credentials().dependency());
      out.mark();
      throw e;
    }
    out.requireVisible(server.credentials().dependency());
  }
}
