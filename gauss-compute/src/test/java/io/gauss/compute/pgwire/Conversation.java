package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.close;
import static io.gauss.compute.pgwire.WireMessages.copyData;
import static io.gauss.compute.pgwire.WireMessages.copyDone;
import static io.gauss.compute.pgwire.WireMessages.copyFail;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.flush;
import static io.gauss.compute.pgwire.WireMessages.message;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.request;
import static io.gauss.compute.pgwire.WireMessages.startup;
import static io.gauss.compute.pgwire.WireMessages.sync;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What a client sends from its first byte to its last, valid at first and then spoilt: bytes
 * changed, lengths wrong, messages left out, doubled, out of order, cut, garbage between them.
 */
final class Conversation {
  private static final int[] ODD_LENGTHS = {
    Integer.MIN_VALUE,
    -1,
    0,
    1,
    3,
    4,
    5,
    7,
    8,
    255,
    10_000,
    10_001,
    1 << 20,
    (64 << 20) + 1,
    1 << 30,
    Integer.MAX_VALUE
  };

  private static final String TYPES = "BCDEFHPQSXcdfpRTGIKNZ\0\1\u007f";

  private final Random random;
  private final List<byte[]> messages = new ArrayList<>();

  private Conversation(Random random) {
    this.random = random;
  }

  /**
   * @param sasl whether the server asks for a password
   */
  static List<byte[]> spoilt(Random random, boolean sasl) {
    Conversation conversation = new Conversation(random);
    conversation.begin(sasl);
    for (int i = random.nextInt(6); i >= 0; i--) {
      conversation.exchange();
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      conversation.spoil();
    }
    return conversation.messages;
  }

  private void add(byte[]... more) {
    messages.addAll(List.of(more));
  }

  // ---------------------------------------------------------------- valid

  private void begin(boolean sasl) {
    if (random.nextInt(8) == 0) {
      add(request(PgProtocol.GSSENC_REQUEST));
    }
    if (random.nextInt(8) == 0) {
      add(request(PgProtocol.SSL_REQUEST));
      if (random.nextInt(4) == 0) {
        add(garbage(random.nextInt(300)));
      }
    }
    add(startup(PgProtocol.PROTOCOL_3_0, "user", "gauss", "database", "gauss"));
    if (sasl) {
      add(
          message(
              'p',
              out -> {
                WireMessages.cstring(out, "SCRAM-SHA-256");
                byte[] first = "n,,n=,r=0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
                out.writeInt(first.length);
                out.write(first);
              }));
      add(message('p', out -> out.writeBytes("c=biws,r=0123456789abcdef,p=AAAA")));
    }
  }

  /** Something that a client asks for, with all its messages. */
  private void exchange() {
    switch (random.nextInt(10)) {
      case 0 -> add(query("SELECT 1, 'x', NULL, 2.5"));
      case 1 -> add(query("BEGIN; UPDATE fuzzed SET v = v + 1 WHERE id = 1; COMMIT"));
      case 2 -> add(query("BEGIN"), query("INSERT INTO fuzzed VALUES (1, 2)"), query("ROLLBACK"));
      case 3 ->
          add(
              parse("s", "SELECT id, v FROM fuzzed WHERE id = $1", 23),
              bind("", "s", Integer.toString(random.nextInt(5))),
              describe('P', ""),
              execute("", random.nextInt(3)),
              close('S', "s"),
              sync());
      case 4 ->
          add(
              parse("", "UPDATE fuzzed SET v = $1 WHERE id = $2"),
              describe('S', ""),
              bind("", "", "7", "2"),
              execute("", 0),
              flush(),
              sync());
      case 5 ->
          add(
              query("BEGIN"),
              parse("", "SELECT i FROM generate_series(1, 3000) i"),
              bind("p", ""),
              execute("p", 10),
              flush(),
              execute("p", 100),
              close('P', "p"),
              sync(),
              query("COMMIT"));
      case 6 ->
          add(
              query("COPY fuzzed_in FROM STDIN"),
              copyData("1\tx\n2\ty"),
              copyData("\n3\tz\n"),
              copyDone());
      case 7 ->
          add(
              query("COPY fuzzed_in FROM STDIN (FORMAT binary)"),
              copyData(garbage(40)),
              copyFail("no more"));
      case 8 -> add(query("COPY fuzzed TO STDOUT"), query("SELECT v FROM fuzzed FOR UPDATE"));
      default -> add(query("SELECT " + random.nextInt(1000) + "::bogus"), query(""), sync());
    }
  }

  // ---------------------------------------------------------------- spoilt

  private void spoil() {
    if (messages.isEmpty()) {
      add(garbage(20));
      return;
    }
    int at = random.nextInt(messages.size());
    byte[] message = messages.get(at).clone();
    switch (random.nextInt(9)) {
      case 0 -> messages.remove(at);
      case 1 -> messages.add(at, message);
      case 2 -> {
        int other = random.nextInt(messages.size());
        messages.set(at, messages.get(other));
        messages.set(other, message);
      }
      case 3 -> {
        for (int i = random.nextInt(4); i >= 0 && message.length > 0; i--) {
          message[random.nextInt(message.length)] = (byte) random.nextInt();
        }
        messages.set(at, message);
      }
      case 4 ->
          messages.set(at, java.util.Arrays.copyOf(message, random.nextInt(message.length + 1)));
      case 5 -> messages.add(at, garbage(random.nextInt(2000)));
      case 6 -> {
        // At the place of the length in a message with a type, or of the code at the start.
        int length =
            random.nextBoolean()
                ? ODD_LENGTHS[random.nextInt(ODD_LENGTHS.length)]
                : message.length - 4 + random.nextInt(8);
        if (message.length >= 5) {
          ByteBuffer.wrap(message).putInt(random.nextInt(10) == 0 ? 0 : 1, length);
        }
        messages.set(at, message);
      }
      case 7 -> {
        if (message.length > 0) {
          message[0] = (byte) TYPES.charAt(random.nextInt(TYPES.length()));
        }
        messages.set(at, message);
      }
      default -> {
        // Counts inside of a message: of parameters, formats, values.
        if (message.length > 12) {
          ByteBuffer.wrap(message)
              .putShort(5 + random.nextInt(message.length - 7), (short) random.nextInt());
        }
        messages.set(at, message);
      }
    }
  }

  private byte[] garbage(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
