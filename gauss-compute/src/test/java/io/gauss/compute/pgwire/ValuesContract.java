package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parameters and results, as text and binary. */
abstract class ValuesContract extends WireContract {
  private static final int[] TEXT = {0};
  private static final int[] BINARY = {1};
  private WireClient client;

  @BeforeEach
  void startSession() throws IOException {
    client = start();
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private String roundTrip(String type, int[] format, byte[] value, int[] resultFormat)
      throws IOException {
    String answer =
        client.ask(
            parse("", "SELECT $1::" + type + " AS v"),
            bind("", "", format, new byte[][] {value}, resultFormat),
            describe('P', ""),
            execute("", 0),
            sync());
    return answer.lines().filter(line -> line.startsWith("DataRow")).findFirst().orElse(answer);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          boolean          | t                                    | 01
          smallint         | -2                                   | fffe
          integer          | 2147483647                           | 7fffffff
          bigint           | -9223372036854775808                 | 8000000000000000
          real             | 1.5                                  | 3fc00000
          double precision | -0.1                                 | bfb999999999999a
          double precision | NaN                                  | 7ff8000000000000
          numeric          | 0                                    | 0000000000000000
          numeric          | 12345.678                            | 00030001000000030001092 91a7c
          numeric          | -0.0001                              | 0001ffff400000040001
          numeric          | 10000.00                             | 00010001000000020001
          numeric          | NaN                                  | 00000000c0000000
          numeric          | -Infinity                            | 00000000f0000020
          text             | grün                                 | 6772c3bc6e
          varchar          | a b                                  | 612062
          char(3)          | a                                    | 612020
          bytea            | \\x00ff                              | 00ff
          uuid             | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 | a0eebc999c0b4ef8bb6d6bb9bd380a11
          date             | 2000-01-02                           | 00000001
          date             | infinity                             | 7fffffff
          time             | 00:00:01.5                           | 000000000016e360
          timestamp        | 1999-12-31 23:59:59.999999           | ffffffffffffffff
          timestamptz      | 2000-01-01 00:00:01+00               | 00000000000f4240
          interval         | 1 mon 2 days 00:00:03                | 00000000002dc6c00000000200000001
          oid              | 4294967295                           | ffffffff
          json             | {"a" :1}                             | 7b226122203a317d
          jsonb            | {"a": 1}                             | 017b2261223a20317d
          jsonb[]          | {"{\\"a\\": 1}",NULL}                  | 000000010000000100000eda0000000200000001 00000009017b2261223a20317d ffffffff
          int4[]           | {1,NULL,3}                           | 00000001000000010000001700000003000000010000000400000001ffffffff0000000400000003
          """)
  void valuesGoInAndOutAsTextAndBinary(String type, String text, String binary) throws IOException {
    String digits = binary.replace(" ", "");
    byte[] asText = text.getBytes(StandardCharsets.UTF_8);
    String expectedText = "DataRow " + (type.equals("char(3)") ? text + "  " : text);
    assertAnswer("DataRow " + digits, roundTrip(type, TEXT, asText, BINARY));
    assertEquals(expectedText, roundTrip(type, BINARY, hex(digits), TEXT));
    assertAnswer("DataRow NULL", roundTrip(type, BINARY, null, BINARY));
  }

  @Test
  void enumsAreLabelsAsTextAndBinary() throws IOException {
    client.query("CREATE TYPE wire_mood AS ENUM ('sad', 'ok')");
    try {
      byte[] ok = "ok".getBytes(StandardCharsets.UTF_8);
      assertAnswer("DataRow ok", roundTrip("wire_mood", TEXT, ok, TEXT));
      assertAnswer("DataRow 6f6b", roundTrip("wire_mood", TEXT, ok, BINARY));
      assertAnswer("DataRow ok", roundTrip("wire_mood", BINARY, ok, TEXT));
      assertAnswer(
          """
          ParseComplete
          ERROR 22P02 invalid input value for enum wire_mood: "bad"
          ReadyForQuery I
          """,
          roundTrip("wire_mood", BINARY, "bad".getBytes(StandardCharsets.UTF_8), TEXT));
      byte[] array = "{ok,NULL}".getBytes(StandardCharsets.UTF_8);
      String sent = roundTrip("wire_mood[]", TEXT, array, BINARY).substring("DataRow ".length());
      assertEquals("000000020000000100000002" + "6f6b" + "ffffffff", sent.substring(24));
      assertAnswer("DataRow {ok,NULL}", roundTrip("wire_mood[]", BINARY, hex(sent), TEXT));
    } finally {
      client.query("DROP TYPE wire_mood");
    }
  }

  @Test
  void binaryValuesOfTheWrongLengthAreRefused() throws IOException {
    assertAnswer(
        "ParseComplete\nERROR 08P01 insufficient data left in message\nReadyForQuery I",
        roundTrip("int", BINARY, hex("0001"), TEXT));
    assertAnswer(
        """
        ParseComplete
        ERROR 22P03 incorrect binary data format in bind parameter 1
        ReadyForQuery I
        """,
        roundTrip("int", BINARY, hex("0000000100"), TEXT));
    assertAnswer(
        "ParseComplete\nERROR 08P01 insufficient data left in message\nReadyForQuery I",
        roundTrip("numeric", BINARY, hex("0001"), TEXT));
  }

  @Test
  void textValuesThatAreNoneAreRefused() throws IOException {
    assertAnswer(
        """
        ParseComplete
        ERROR 22P02 invalid input syntax for type integer: "x"
        ReadyForQuery I
        """,
        roundTrip("int", TEXT, "x".getBytes(StandardCharsets.UTF_8), TEXT));
    assertAnswer(
        """
        ParseComplete
        ERROR 22003 value "3000000000" is out of range for type integer
        ReadyForQuery I
        """,
        roundTrip("int", TEXT, "3000000000".getBytes(StandardCharsets.UTF_8), TEXT));
  }

  @Test
  void formatsMayDifferBetweenColumnsAndParameters() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        RowDescription a:23:binary b:25 c:21:binary
        DataRow 00000007|seven|0007
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT $1::int AS a, $2::text AS b, $3::smallint AS c"),
            bind(
                "",
                "",
                new int[] {0, 1, 1},
                new byte[][] {
                  "7".getBytes(StandardCharsets.UTF_8),
                  "seven".getBytes(StandardCharsets.UTF_8),
                  hex("0007")
                },
                new int[] {1, 0, 1}),
            describe('P', ""),
            execute("", 0),
            sync()));
  }

  @Test
  void declaredTypesOfParametersHold() throws IOException {
    assertAnswer(
        """
        ParseComplete
        ParameterDescription 20 25 1043
        RowDescription ?column?:20 ?column?:25 ?column?:1043
        ReadyForQuery I
        """,
        client.ask(parse("", "SELECT $1, $2, $3", 20, 0, 1043), describe('S', ""), sync()));
  }
}
