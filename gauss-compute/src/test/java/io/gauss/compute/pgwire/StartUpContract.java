package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.cancelRequest;
import static io.gauss.compute.pgwire.WireMessages.join;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.request;
import static io.gauss.compute.pgwire.WireMessages.startMessage;
import static io.gauss.compute.pgwire.WireMessages.startup;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** How connections begin. */
abstract class StartUpContract extends WireContract {
  private static final int VERSION_3_0 = PgProtocol.PROTOCOL_3_0;

  @Test
  void aSessionStartsAndAnswers() throws IOException {
    WireClient client = connect();
    assertAnswer(
        """
        Authentication 0
        ReadyForQuery I
        """,
        client.ask(startup(VERSION_3_0)));
    assertAnswer(
        """
        RowDescription one:23
        DataRow 1
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.query("SELECT 1 AS one"));
  }

  @Test
  void encryptionIsRefusedAndTheSessionStartsWithoutIt() throws IOException {
    WireClient client = connect();
    client.send(request(PgProtocol.SSL_REQUEST));
    assertEquals('N', client.readByte());
    client.send(request(PgProtocol.GSSENC_REQUEST));
    assertEquals('N', client.readByte());
    assertAnswer("Authentication 0\nReadyForQuery I", client.ask(startup(VERSION_3_0)));
  }

  @Test
  void encryptionIsAskedForOnce() throws IOException {
    WireClient client = connect();
    client.send(request(PgProtocol.SSL_REQUEST));
    assertEquals('N', client.readByte());
    client.send(request(PgProtocol.SSL_REQUEST));
    assertAnswer(
        """
        FATAL 0A000 unsupported frontend protocol 1234.5679: server supports 3.0 to 3.0
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void whatFollowsARequestForEncryptionUnaskedIsRefused() throws IOException {
    WireClient client = connect();
    client.send(request(PgProtocol.SSL_REQUEST), startup(VERSION_3_0));
    assertEquals('N', client.readByte());
    assertAnswer(
        """
        FATAL 08P01 received unencrypted data after SSL request
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void aStartUpPacketMayComeByteByByte() throws IOException {
    WireClient client = connect();
    client.sendByteByByte(startup(VERSION_3_0), query("SELECT 'slow'"));
    assertAnswer("Authentication 0\nReadyForQuery I", client.readUntilReady());
    assertAnswer(
        """
        RowDescription ?column?:25
        DataRow slow
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.readUntilReady());
  }

  @Test
  void anotherProtocolIsRefused() throws IOException {
    WireClient client = connect();
    client.send(startup(4 << 16));
    assertAnswer(
        """
        FATAL 0A000 unsupported frontend protocol 4.0: server supports 3.0 to 3.0
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void aNewerMinorVersionAndUnknownOptionsAreNegotiated() throws IOException {
    WireClient client = connect();
    assertAnswer(
        """
        NegotiateProtocolVersion 196608 _pq_.a _pq_.b
        Authentication 0
        ReadyForQuery I
        """,
        client.ask(startup(VERSION_3_0 + 2, "_pq_.a", "1", "_pq_.b", "2")));
  }

  @Test
  void settingsOfTheStartUpPacketHold() throws IOException {
    WireClient client = connect();
    client.ask(startup(VERSION_3_0, "application_name", "wire", "options", "-c lock_timeout=7s"));
    assertAnswer(
        """
        RowDescription application_name:25
        DataRow wire
        CommandComplete SHOW
        RowDescription lock_timeout:25
        DataRow 7s
        CommandComplete SHOW
        ReadyForQuery I
        """,
        client.query("SHOW application_name; SHOW lock_timeout"));
  }

  @Test
  void anUnknownSettingIsRefused() throws IOException {
    WireClient client = connect();
    client.send(startup(VERSION_3_0, "no_such_setting", "1"));
    assertAnswer(
        """
        Authentication 0
        FATAL 42704 unrecognized configuration parameter "no_such_setting"
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void anUnknownDatabaseIsRefused() throws IOException {
    WireClient client = connect();
    client.send(startup(VERSION_3_0, "user", "gauss", "database", "nowhere"));
    assertAnswer(
        """
        Authentication 0
        FATAL 3D000 database "nowhere" does not exist
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void anUnknownUserIsRefused() throws IOException {
    WireClient client = connect();
    client.send(WireMessages.startup(VERSION_3_0, "user", "bob", "database", database()));
    assertAnswer(
        """
        Authentication 0
        FATAL 28000 role "bob" does not exist
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void aUserIsNeeded() throws IOException {
    WireClient client = connect();
    client.send(WireMessages.startup(VERSION_3_0, "database", database()));
    assertAnswer(
        """
        FATAL 28000 no PostgreSQL user name specified in startup packet
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void aStartUpPacketEndsWithAZero() throws IOException {
    WireClient client = connect();
    client.send(
        startMessage(
            out -> {
              out.writeInt(VERSION_3_0);
              out.write("user\0gauss\0xyz".getBytes(StandardCharsets.UTF_8));
            }));
    assertAnswer(
        """
        FATAL 08P01 invalid startup packet layout: expected terminator as last byte
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void nothingMayFollowTheTerminator() throws IOException {
    WireClient client = connect();
    client.send(
        startMessage(
            out -> {
              out.writeInt(VERSION_3_0);
              out.write("user\0gauss\0\0more\0".getBytes(StandardCharsets.UTF_8));
            }));
    assertAnswer(
        """
        FATAL 08P01 invalid startup packet layout: expected terminator as last byte
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void whatIsNotOurProtocolIsLeftWithoutAWord() throws IOException {
    WireClient client = connect();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertAnswer("closed", client.readUntilClosed());
  }

  @Test
  void anOversizedStartUpPacketIsNotReadToItsEnd() throws IOException {
    WireClient client = connect();
    client.send(
        WireMessages.bytes(
            out -> {
              out.writeInt(10_008);
              out.writeInt(VERSION_3_0);
            }));
    assertAnswer("closed", client.readUntilClosed());
  }

  @Test
  void aStartUpPacketShorterThanItsHeaderIsLeftWithoutAWord() throws IOException {
    WireClient client = connect();
    client.send(
        WireMessages.bytes(
            out -> {
              out.writeInt(7);
              out.writeInt(VERSION_3_0);
            }));
    assertAnswer("closed", client.readUntilClosed());
  }

  @Test
  void aCancelRequestGetsNoAnswer() throws IOException {
    WireClient client = connect();
    client.send(cancelRequest(1, 2));
    assertAnswer("closed", client.readUntilClosed());
  }

  @Test
  void queriesMayFollowTheStartUpPacketAtOnce() throws IOException {
    WireClient client = connect();
    client.send(join(startup(VERSION_3_0), query("SELECT 1"), query("SELECT 2")));
    assertAnswer("Authentication 0\nReadyForQuery I", client.readUntilReady());
    assertAnswer(
        """
        RowDescription ?column?:23
        DataRow 1
        CommandComplete SELECT 1
        ReadyForQuery I
        RowDescription ?column?:23
        DataRow 2
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.readUntilReady() + "\n" + client.readUntilReady());
  }
}
