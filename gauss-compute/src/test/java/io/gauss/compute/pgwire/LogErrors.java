package io.gauss.compute.pgwire;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged as an error, by anybody, while it is open; Netty's leaks too. Thread-safe. */
final class LogErrors implements AutoCloseable {
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            IThrowableProxy thrown = event.getThrowableProxy();
            errors.add(
                event.getFormattedMessage()
                    + (thrown == null ? "" : " " + thrown.getClassName() + thrown.getMessage()));
          }
        }
      };

  LogErrors() {
    appender.start();
    root.addAppender(appender);
  }

  List<String> errors() {
    return errors;
  }

  @Override
  public void close() {
    root.detachAppender(appender);
  }
}
