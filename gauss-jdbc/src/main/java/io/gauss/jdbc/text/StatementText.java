package io.gauss.jdbc.text;

import java.util.ArrayList;
import java.util.List;

/**
 * What the driver has to know about a statement's text: whether it shows to which node its
 * transaction belongs, and its effects on the session. Found by scanning the text once, without
 * parsing SQL; text that is not recognized is treated as an ordinary statement. Immutable.
 *
 * @param sql as the application gave it
 * @param hintedNode number in a comment <code>/*+ node(2) *&#47;</code>, or 0
 * @param tellsNothing it touches no tables: SET, SHOW, BEGIN, SELECT 1
 * @param stays it depends on what the session has done before (currval), so it belongs to the node
 *     where that was
 * @param mayWrite it may change something; false only when it certainly does not
 * @param mayCommit run in an open transaction, it may commit something: the transaction, or what
 *     follows after the transaction's end in the same text
 * @param isSingle it is one statement, not a batch
 * @param control its effect on the transaction
 * @param effects its effects on the session
 */
public record StatementText(
    String sql,
    int hintedNode,
    boolean tellsNothing,
    boolean stays,
    boolean mayWrite,
    boolean mayCommit,
    boolean isSingle,
    Control control,
    List<Effect> effects) {
  /** Commands that begin and end transactions. */
  public enum Control {
    NONE,
    BEGIN,
    COMMIT,
    /** To a savepoint. */
    ROLLBACK_TO,
    ROLLBACK
  }

  /** Effects on the session that remain after the statement. */
  public sealed interface Effect {
    /** A setting, which can be made on another node by the same text. */
    record Set(String name, String text, boolean forgetsOthers) implements Effect {}

    /**
     * State that exists only on this node.
     *
     * @param isTransactional removed when the transaction is rolled back
     */
    record Pin(String what, boolean isTransactional) implements Effect {}

    /** That state no longer exists. */
    record Unpin(String what, boolean isTransactional) implements Effect {}

    /** All state whose description begins with the prefix no longer exists. */
    record UnpinAll(String prefix) implements Effect {}

    /** A setting of this transaction only, to be repeated when the transaction is moved. */
    record ForTransaction(String text) implements Effect {}
  }

  public static StatementText of(String sql) {
    TextScan scan = new TextScan(sql);
    scan.run();
    List<TextScan.Part> parts = scan.parts();
    if (parts.size() == 1) {
      return single(sql, scan.hintedNode(), parts.get(0));
    }
    return several(
        sql, scan.hintedNode(), parts.stream().map(part -> single(sql, 0, part)).toList());
  }

  /** The effects of a batch of statements. */
  public static StatementText ofBatch(List<StatementText> texts) {
    return several(texts.get(0).sql(), texts.get(0).hintedNode(), texts);
  }

  private static StatementText several(String sql, int hintedNode, List<StatementText> parts) {
    List<Effect> effects = new ArrayList<>();
    boolean tellsNothing = true;
    boolean stays = false;
    boolean mayWrite = false;
    boolean mayCommit = false;
    boolean isRolledBack = false;
    Control control = Control.NONE;
    for (StatementText part : parts) {
      effects.addAll(part.effects());
      tellsNothing &= part.tellsNothing();
      stays |= part.stays();
      mayWrite |= part.mayWrite();
      mayCommit |= part.mayCommit() || isRolledBack && part.mayWrite();
      isRolledBack |= part.control() == Control.ROLLBACK;
      control = part.control() == Control.NONE ? control : part.control();
    }
    return new StatementText(
        sql,
        hintedNode,
        tellsNothing,
        stays,
        mayWrite,
        mayCommit,
        false,
        control,
        List.copyOf(effects));
  }

  private static StatementText single(String sql, int hintedNode, TextScan.Part part) {
    Control control = SessionCommands.control(part);
    List<Effect> effects = SessionCommands.effects(part);
    String first = part.word(0);
    boolean tellsNothing =
        switch (first) {
          case "SET", "RESET", "SHOW", "DISCARD", "DEALLOCATE", "LISTEN", "UNLISTEN", "" -> true;
          case "SELECT", "VALUES" -> !part.hasFrom() && !part.hasCall() && !part.hasParameter();
          default -> control == Control.BEGIN;
        };
    boolean mayWrite =
        switch (first) {
          case "SET", "RESET", "SHOW", "" -> false;
          case "SELECT", "VALUES", "TABLE" -> part.hasInto() || part.hasCall();
          default -> control == Control.NONE || control == Control.COMMIT;
        };
    return new StatementText(
        sql,
        hintedNode,
        tellsNothing,
        part.asksForSession(),
        mayWrite,
        control == Control.COMMIT,
        true,
        control,
        effects);
  }
}
