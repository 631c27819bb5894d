package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.compute.session.CommitScan;
import io.gauss.compute.session.message.MessageReader;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Whether the messages that were forwarded since the last ReadyForQuery may have committed
 * something, in case their answer never comes. In doubt they may have. Statements and portals live
 * longer than a group: a portal whose Bind came with an earlier group runs with its Execute.
 * Belongs to the connection's event loop.
 */
final class GroupOutcome {
  /** Statements and portals that are remembered; a client that uses more is judged with caution. */
  private static final int MOST_NAMES = 1024;

  private final UnaryOperator<String> earlier;
  private final MessageReader reader = new MessageReader();
  private final CommitScan scan = new CommitScan();
  private final Map<String, String> parsed = new HashMap<>(4);
  private final Map<String, String> bound = new HashMap<>(4);

  /** A statement may have been replaced by one whose text is not known here. */
  private boolean isParsedUnsure;

  private boolean inBlock;
  private boolean any;

  /**
   * @param earlier text of a statement that was prepared before the transaction was forwarded; null
   *     when there is none with that name
   */
  GroupOutcome(UnaryOperator<String> earlier) {
    this.earlier = earlier;
  }

  /** A transaction is forwarded. */
  void forwarded(boolean block) {
    parsed.clear();
    bound.clear();
    isParsedUnsure = false;
    next(block);
  }

  /** A group is over. */
  void next(boolean block) {
    inBlock = block;
    scan.begin(block);
    any = false;
  }

  /** Whether anything was forwarded since. */
  boolean isOpen() {
    return any;
  }

  /** Whether a block was open when the group began, or may have been. */
  boolean inBlock() {
    return inBlock;
  }

  boolean mayCommit() {
    return scan.mayCommit();
  }

  /**
   * A message is forwarded.
   *
   * @param length of the message without its type; the input may not have all of it yet
   */
  void note(byte type, InputBuffer in, int length) {
    any = true;
    int here = Math.min(in.available(), 1 + length);
    int body = in.start() + 1 + PgProtocol.LENGTH_BYTES;
    reader.wrap(in.array(), body, in.start() + here);
    try {
      note(type);
    } catch (GaussException e) {
      notReadable(type); // malformed, which running it reports, or not here as a whole
    }
  }

  private void note(byte type) {
    switch (type) {
      case PgProtocol.QUERY -> scan.runs(reader.readCString());
      case PgProtocol.PARSE -> remember(parsed, reader.readCString(), reader.readCString());
      case PgProtocol.BIND -> {
        String portal = reader.readCString();
        remember(bound, portal, textOf(reader.readCString()));
      }
      case PgProtocol.EXECUTE -> {
        String text = bound.get(reader.readCString());
        if (text == null) {
          scan.runsUnknown();
        } else {
          scan.runs(text);
        }
      }
      case PgProtocol.FUNCTION_CALL -> scan.calls();
      default -> {
        // Runs nothing of its own.
      }
    }
  }

  private String textOf(String statement) {
    String text = parsed.get(statement);
    return text != null || isParsedUnsure ? text : earlier.apply(statement);
  }

  private void remember(Map<String, String> texts, String name, String text) {
    if (texts.size() >= MOST_NAMES) {
      texts.clear();
      isParsedUnsure = true;
    }
    texts.put(name, text);
  }

  private void notReadable(byte type) {
    switch (type) {
      case PgProtocol.QUERY, PgProtocol.EXECUTE -> scan.runsUnknown();
      case PgProtocol.PARSE -> {
        parsed.clear();
        isParsedUnsure = true;
      }
      case PgProtocol.BIND -> bound.clear();
      default -> {
        // Runs nothing, whatever it says.
      }
    }
  }
}
