package io.gauss.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What clients choose and the log contains, such as names. */
class MarkedLinesTest {
  @Test
  void usualMessagesStayAsTheyAre() {
    assertEquals("table \u00e4\tb.c", MarkedLines.marked("table \u00e4\tb.c"));
  }

  @Test
  void lineEndsAndControlCharactersAreShownForWhatTheyAre() {
    assertEquals(
        "table a?\n  | 12:00:00.000 ERROR Engine: lost?[2J?b",
        MarkedLines.marked("table a\r\n12:00:00.000 ERROR Engine: lost\u001b[2J\u2028b"));
  }

  @Test
  void theLogOfTheProductMarksThem() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Objects.requireNonNull(MarkedLines.class.getResource("/logback.xml")));
    ConsoleAppender<ILoggingEvent> console =
        (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("console");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(
        console
            .getEncoder()
            .encode(
                new LoggingEvent(
                    "x",
                    context.getLogger("io.gauss.Some"),
                    Level.INFO,
                    "table {} was not analyzed",
                    null,
                    new Object[] {"a\nb"})));
    context.stop();
    String line = out.toString(StandardCharsets.UTF_8);
    assertEquals(
        "INFO  Some: table a\n  | b was not analyzed\n", line.substring(line.indexOf("INFO")));
  }
}
