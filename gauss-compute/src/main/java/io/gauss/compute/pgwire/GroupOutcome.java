package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.compute.session.SessionMoves;
import io.gauss.compute.session.message.MessageReader;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Whether the messages that were forwarded since the last ReadyForQuery may have committed
 * something, in case their answer never comes. In doubt they may have. Belongs to the connection's
 * event loop.
 */
final class GroupOutcome {
  private static final int MOST_CHARACTERS = 40;

  /** In a block these commit nothing. */
  private static final Set<String> COMMIT_NOTHING =
      Set.of(
          "select", "insert", "update", "delete", "with", "values", "fetch", "rollback", "begin");

  private final SessionMoves session;
  private final MessageReader reader = new MessageReader();
  private final Map<String, String> parsed = new HashMap<>(4);
  private boolean inBlock;
  private boolean mayCommit;
  private boolean any;

  GroupOutcome(SessionMoves session) {
    this.session = session;
  }

  /** A transaction is forwarded. */
  void forwarded(boolean block) {
    parsed.clear();
    next(block);
  }

  /** A group is over. */
  void next(boolean block) {
    inBlock = block;
    mayCommit = false;
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
    return mayCommit;
  }

  /** A message is passed. */
  void note(byte type, InputBuffer in, int length) {
    any = true;
    if (type == PgProtocol.EXECUTE || type == PgProtocol.SYNC || type == PgProtocol.COPY_DATA) {
      return; // the portal's statement is known from its Bind
    }
    if (in.available() < 1 + length) {
      mayCommit |= type == PgProtocol.QUERY || type == PgProtocol.PARSE || type == PgProtocol.BIND;
      return;
    }
    int body = in.start() + 1 + PgProtocol.LENGTH_BYTES;
    reader.wrap(in.array(), body, in.start() + 1 + length);
    try {
      noteText(type);
    } catch (GaussException e) {
      mayCommit = true; // malformed: running it reports the error
    }
  }

  private void noteText(byte type) {
    switch (type) {
      case PgProtocol.QUERY -> runs(reader.readCString());
      case PgProtocol.PARSE -> parsed.put(reader.readCString(), reader.readCString());
      case PgProtocol.BIND -> {
        reader.readCString();
        String name = reader.readCString();
        String text = parsed.get(name);
        runs(text != null ? text : session.textOf(name));
      }
      default -> {
        // Runs nothing.
      }
    }
  }

  private void runs(String text) {
    String word = text == null ? "" : firstWord(text);
    boolean isOne = text != null && text.indexOf(';') < 0;
    if (inBlock) {
      mayCommit |= !isOne || !COMMIT_NOTHING.contains(word);
    } else {
      // A function that is called may write.
      mayCommit |= !isOne || !word.equals("select") || text.indexOf('(') >= 0;
      mayCommit &= !word.equals("begin");
    }
  }

  private static String firstWord(String text) {
    String start = text.strip();
    int end = 0;
    while (end < Math.min(start.length(), MOST_CHARACTERS)
        && Character.isLetter(start.charAt(end))) {
      end++;
    }
    return start.substring(0, end).toLowerCase(Locale.ROOT);
  }
}
