package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.compute.session.CommitScan;
import io.gauss.compute.session.message.MessageReader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Whether the messages that were forwarded since the last ReadyForQuery may have committed
 * something, in case their answer never comes. In doubt they may have. Statements and portals live
 * longer than a group: a portal whose Bind came with an earlier group runs with its Execute. After
 * an error the other node skips the rest of the group, so what a name of that group stands for is
 * not known. Belongs to the connection's event loop.
 */
final class GroupOutcome {
  /** Statements and portals that are remembered; a client that uses more is judged with caution. */
  private static final int MOST_NAMES = 1024;

  private final UnaryOperator<String> earlier;
  private final MessageReader reader = new MessageReader();
  private final CommitScan scan = new CommitScan();
  private final Map<String, String> parsed = new HashMap<>(4);
  private final Map<String, String> bound = new HashMap<>(4);

  // Names that this group's messages gave.
  private final Set<String> parsedNow = new HashSet<>(4);
  private final Set<String> boundNow = new HashSet<>(4);

  /** A statement may have been replaced by one whose text is not known here. */
  private boolean isParsedUnsure;

  private boolean inBlock;
  private boolean any;
  private boolean failed;
  private boolean mayHaveLocked; // in earlier groups of the transaction

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
    failed = false;
    next(block);
    mayHaveLocked = false;
  }

  /** A group is over. */
  void next(boolean block) {
    if (failed) {
      parsedNow.forEach(name -> parsed.put(name, null));
      boundNow.forEach(name -> bound.put(name, null));
    }
    parsedNow.clear();
    boundNow.clear();
    failed = false;
    inBlock = block;
    mayHaveLocked |= scan.mayLock();
    scan.begin(block);
    any = false;
  }

  /** The other node has reported an error, and skips what follows in the group. */
  void failed() {
    failed = true;
  }

  /** Whether anything was forwarded since. */
  boolean isOpen() {
    return any;
  }

  /**
   * Whether a block may be open once the group has run: what the client has sent behind it belongs
   * to that (rule 40). Not behind a COMMIT, which ends its block also if it fails.
   */
  boolean leavesBlock() {
    return scan.mayBeInBlock();
  }

  /** Whether the group belongs to a block that was open before. */
  boolean isInBlock() {
    return inBlock;
  }

  /** Whether it rolls its block back, and does nothing else. */
  boolean onlyRollsBack() {
    return scan.onlyRollsBack();
  }

  /** Whether what was forwarded may have locked something for others. */
  boolean mayLock() {
    return scan.mayLock();
  }

  /** The same of all that was forwarded since the transaction has begun. */
  boolean mayHaveLocked() {
    return mayHaveLocked || scan.mayLock();
  }

  /** Whether what was forwarded does not wait for a lock that others have. */
  boolean mayBeDenied() {
    return scan.mayBeDenied();
  }

  boolean mayCommit() {
    return scan.mayCommit();
  }

  /** Whether what was forwarded must not run twice, even if nothing of it is committed. */
  boolean hasEffects() {
    return scan.hasEffects();
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
    if (scan.mayHaveChangedNames()) {
      forgetStatements();
    }
  }

  private void note(byte type) {
    switch (type) {
      case PgProtocol.QUERY -> scan.runs(reader.readCString());
      case PgProtocol.PARSE ->
          remember(parsed, parsedNow, reader.readCString(), reader.readCString());
      case PgProtocol.BIND -> {
        String portal = reader.readCString();
        remember(bound, boundNow, portal, textOf(reader.readCString()));
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
    boolean isParsed = parsed.containsKey(statement) || isParsedUnsure;
    return isParsed ? parsed.get(statement) : earlier.apply(statement);
  }

  private void remember(Map<String, String> texts, Set<String> namedNow, String name, String text) {
    if (texts.size() >= MOST_NAMES) {
      texts.clear();
      namedNow.clear();
      forgetStatements();
    }
    texts.put(name, text);
    namedNow.add(name);
  }

  private void forgetStatements() {
    parsed.clear();
    parsedNow.clear();
    isParsedUnsure = true;
  }

  private void notReadable(byte type) {
    switch (type) {
      case PgProtocol.QUERY, PgProtocol.EXECUTE -> scan.runsUnknown();
      case PgProtocol.PARSE -> forgetStatements();
      case PgProtocol.BIND -> bound.clear();
      default -> {
        // Runs nothing, whatever it says.
      }
    }
  }
}
