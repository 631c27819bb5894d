package io.gauss.jdbc.text;

import java.util.ArrayList;
import java.util.List;

/**
 * What the driver has to know of a statement's text: whether it says anything about where its
 * transaction belongs, and what it does to the session. Found by looking over the text once,
 * without understanding SQL; what cannot be understood in this way is taken for an ordinary
 * statement. Immutable.
 *
 * @param sql as the application gave it
 * @param hintedNode number in a comment <code>/*+ node(2) *&#47;</code>, or 0
 * @param tellsNothing it touches no tables: SET, SHOW, BEGIN, SELECT 1
 * @param stays it asks for what the session has done before (currval), so it belongs where that was
 * @param mayWrite it may change something; false only when it surely does not
 * @param isSingle it is one statement, and no batch
 * @param control what it does to the transaction
 * @param effects what it does to the session
 */
public record StatementText(
    String sql,
    int hintedNode,
    boolean tellsNothing,
    boolean stays,
    boolean mayWrite,
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

  /** What stays in the session when the statement is over. */
  public sealed interface Effect {
    /** A setting, which can be made elsewhere by the same text. */
    record Set(String name, String text, boolean forgetsOthers) implements Effect {}

    /**
     * Something that is on this node only.
     *
     * @param isTransactional gone with the transaction when it is rolled back
     */
    record Pin(String what, boolean isTransactional) implements Effect {}

    /** That is over. */
    record Unpin(String what, boolean isTransactional) implements Effect {}

    /** Everything whose description begins so is over. */
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

  /** What a batch of statements does. */
  public static StatementText ofBatch(List<StatementText> texts) {
    return several(texts.get(0).sql(), texts.get(0).hintedNode(), texts);
  }

  private static StatementText several(String sql, int hintedNode, List<StatementText> parts) {
    List<Effect> effects = new ArrayList<>();
    boolean tellsNothing = true;
    boolean stays = false;
    boolean mayWrite = false;
    Control control = Control.NONE;
    for (StatementText part : parts) {
      effects.addAll(part.effects());
      tellsNothing &= part.tellsNothing();
      stays |= part.stays();
      mayWrite |= part.mayWrite();
      control = part.control() == Control.NONE ? control : part.control();
    }
    return new StatementText(
        sql, hintedNode, tellsNothing, stays, mayWrite, false, control, List.copyOf(effects));
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
        sql, hintedNode, tellsNothing, part.asksForSession(), mayWrite, true, control, effects);
  }
}
