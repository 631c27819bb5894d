package io.gauss.server;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.storage.api.LogStream.LogReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Prints a stream's records, one per line. It only reads: it opens no epoch, fences no writer and
 * takes no lock. Exit code 0, 1 when the stream cannot be read, 2 when there is no such stream.
 */
@Command(
    name = "cat",
    description = {
      "Show a stream's records, one a line, while it is written or not.",
      "Exit code 0; 1 when it cannot be read; 2 for a stream or CSN that is not there."
    },
    mixinStandardHelpOptions = true)
final class LogCatCommand implements Callable<Integer> {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * How far before the first record shown the reading begins, in LSNs: the records before a commit
   * show to which transaction it belongs.
   */
  private static final long RUN_UP = 20_000 * Lsn.STEP;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      required = true,
      description = "Data directory of a node or of a cluster of processes.")
  private Path data;

  @Option(
      names = "--stream",
      defaultValue = "1",
      description = "The stream's number (default: ${DEFAULT-VALUE}).")
  private int stream;

  @Option(
      names = "--from-csn",
      paramLabel = "CSN",
      description = "Begin with the first MTR that ends at or above it: counter@node, or a number.")
  private String fromCsn;

  @Option(names = "--limit", paramLabel = "K", description = "End after so many records.")
  private long limit = Long.MAX_VALUE;

  @Option(names = "--follow", description = "Continue with what is written, until Ctrl-C.")
  private boolean follow;

  @Override
  public Integer call() throws Exception {
    if (limit < 1) {
      throw new RefusedException("--limit " + limit + ": at least 1");
    }
    long csn = fromCsn == null ? Lsn.NONE : csn(fromCsn);
    if (!Files.isDirectory(data)) {
      throw new RefusedException("--data " + data + ": there is no such directory");
    }
    Optional<ClusterAccess> cluster = ClusterAccess.find(data);
    try (LogAccess log =
        cluster.isPresent() ? ClusterLog.open(cluster.get(), stream) : FileLog.open(data, stream)) {
      cat(log, csn, spec.commandLine().getOut());
    }
    return 0;
  }

  /** A CSN as it is printed, {@code 812@1}, or as one number. */
  static long csn(String text) {
    try {
      int at = text.indexOf('@');
      if (at < 0) {
        long csn = Long.parseLong(text);
        if (csn >= 0) {
          return csn;
        }
      } else {
        long counter = Long.parseLong(text.substring(0, at));
        int node = Integer.parseInt(text.substring(at + 1));
        if (counter >= 0
            && counter <= Lsn.counter(Long.MAX_VALUE)
            && node >= 0
            && node <= Lsn.MAX_NODE) {
          return Lsn.of(counter, node);
        }
      }
    } catch (NumberFormatException e) {
      throw notACsn(text, e);
    }
    throw notACsn(text, null);
  }

  private static RefusedException notACsn(String text, Throwable cause) {
    RefusedException refused =
        new RefusedException("--from-csn " + text + ": not a CSN; one is written as 812@1");
    refused.initCause(cause);
    return refused;
  }

  /**
   * Prints from the beginning of the log, or from a CSN on. The log may be trimmed between the look
   * at where to begin and the first batch: then it is looked for again, as if the command had come
   * a moment later. Once lines are printed, a trimmed batch ends the command: there would be a hole
   * in what it shows.
   */
  void cat(LogAccess log, long csn, PrintWriter out) {
    LogPrinter printer = new LogPrinter(out, csn, limit);
    long tried = -1;
    while (true) {
      long offset = begin(log, csn);
      try (LogReader reader = log.read(offset)) {
        boolean found = reader.next();
        printer.head();
        print(printer, reader, found, out);
        return;
      } catch (GaussException e) {
        if (!isTrimmed(e) || printer.hasBegun() || offset <= tried) {
          throw e;
        }
        tried = offset;
      }
    }
  }

  private void print(LogPrinter printer, LogReader reader, boolean foundOne, PrintWriter out) {
    boolean found = foundOne;
    while (true) {
      while (found) {
        printer.print(reader);
        found = !printer.isDone() && reader.next();
      }
      // The reader of our output may have gone.
      if (out.checkError() || printer.isDone() || !follow) {
        return;
      }
      LockSupport.parkNanos(POLL_NANOS);
      found = reader.next();
    }
  }

  private static boolean isTrimmed(GaussException e) {
    return e.state() == SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE;
  }

  private long begin(LogAccess log, long csn) {
    if (csn == Lsn.NONE) {
      return log.startOffset();
    }
    if (locate(log, csn).isEmpty() && !follow) {
      throw new RefusedException(
          "--from-csn %s: stream %d has no record at or above it yet"
              .formatted(Lsn.toString(csn), stream));
    }
    try {
      return log.locate(Math.max(1, csn - RUN_UP)).orElseGet(log::startOffset);
    } catch (GaussException e) {
      if (isTrimmed(e)) {
        return log.startOffset(); // the run-up was trimmed, which does little harm
      }
      throw e;
    }
  }

  private static OptionalLong locate(LogAccess log, long csn) {
    try {
      return log.locate(csn);
    } catch (GaussException e) {
      if (isTrimmed(e)) {
        RefusedException refused =
            new RefusedException("--from-csn " + Lsn.toString(csn) + ": " + e.getMessage());
        refused.initCause(e);
        throw refused;
      }
      throw e;
    }
  }
}
