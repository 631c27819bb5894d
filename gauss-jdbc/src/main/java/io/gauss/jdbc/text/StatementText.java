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
 * @param isRepeatable what it does in an open transaction can be done again on another node by its
 *     effects, so that a transaction that did nothing else can be moved
 * @param stays it depends on what the session has done before (currval), so it belongs to the node
 *     where that was
 * @param mayCommitOutside run while no transaction is open, it may commit something
 * @param mayCommitInside run in an open transaction, it may commit something: the transaction, or
 *     what follows after the transaction's end in the same text
 * @param isSingle it is one statement, not a batch
 * @param isAtomic it takes place as a whole or not at all, or fails within the open transaction;
 *     false when it may begin and end transactions on its way
 * @param control its effect on the transaction; of several statements, of the last that has one
 * @param effects its effects on the session and the transaction, in order
 */
public record StatementText(
    String sql,
    int hintedNode,
    boolean tellsNothing,
    boolean isRepeatable,
    boolean stays,
    boolean mayCommitOutside,
    boolean mayCommitInside,
    boolean isSingle,
    boolean isAtomic,
    Control control,
    List<Effect> effects) {
  /**
   * Whether it takes or gives up advisory locks of the session, which it does for good even if it
   * fails afterwards.
   */
  public boolean changesSessionsLocks() {
    return stays || takesSessionsLocks();
  }

  /** Whether it takes advisory locks of the session. */
  public boolean takesSessionsLocks() {
    return effects.contains(SessionCommands.ADVISORY_PIN);
  }

  /** Commands that begin and end transactions. */
  public enum Control {
    NONE,
    BEGIN,
    COMMIT,
    /** To a savepoint, or making or releasing one. */
    SAVEPOINT,
    ROLLBACK
  }

  public static StatementText of(String sql) {
    TextScan scan = new TextScan(sql);
    scan.run();
    List<TextScan.Part> parts = scan.parts();
    if (parts.size() == 1) {
      return single(sql, scan.hintedNode(), parts.get(0));
    }
    return several(
        sql, scan.hintedNode(), parts.stream().map(part -> single(sql, 0, part)).toList(), false);
  }

  /** The effects of a batch of statements. */
  public static StatementText ofBatch(List<StatementText> texts) {
    return several(texts.get(0).sql(), texts.get(0).hintedNode(), texts, true);
  }

  /** Something that is no text of the application's. */
  public static StatementText ofCall(boolean mayWrite, Control control) {
    boolean ends = control == Control.COMMIT || control == Control.ROLLBACK;
    List<Effect> effects =
        ends ? List.of(new Effect.End(control == Control.COMMIT, false)) : List.of();
    return new StatementText(
        "",
        0,
        true,
        false,
        false,
        mayWrite,
        control == Control.COMMIT,
        true,
        true,
        control,
        effects);
  }

  private static StatementText several(
      String sql, int hintedNode, List<StatementText> parts, boolean isBatch) {
    List<Effect> effects = new ArrayList<>();
    boolean tellsNothing = true;
    boolean isRepeatable = true;
    boolean stays = false;
    boolean mayCommitOutside = false;
    boolean mayCommitInside = false;
    boolean isAtomic = !isBatch; // in pgjdbc's simple mode its statements are sent one by one
    boolean isOpenOutside = false; // after the statements so far, begun outside or inside
    boolean isOpenInside = true;
    Control control = Control.NONE;
    for (StatementText part : parts) {
      effects.addAll(part.effects());
      tellsNothing &= part.tellsNothing();
      isRepeatable &= part.isRepeatable();
      stays |= part.stays();
      isAtomic &= part.isAtomic() && !part.isBoundary();
      mayCommitOutside |= isOpenOutside ? part.mayCommitInside() : part.mayCommitOutside();
      mayCommitInside |= isOpenInside ? part.mayCommitInside() : part.mayCommitOutside();
      isOpenOutside = part.leavesOpen(isOpenOutside);
      isOpenInside = part.leavesOpen(isOpenInside);
      control = part.control() == Control.NONE ? control : part.control();
    }
    return new StatementText(
        sql,
        hintedNode,
        tellsNothing,
        isRepeatable,
        stays,
        mayCommitOutside,
        mayCommitInside,
        false,
        isAtomic,
        control,
        List.copyOf(effects));
  }

  /** It begins or ends a transaction. */
  private boolean isBoundary() {
    return control != Control.NONE && control != Control.SAVEPOINT;
  }

  /** Whether a transaction is open after it, if it succeeds. */
  public boolean leavesOpen(boolean isOpen) {
    boolean open = isOpen;
    for (Effect effect : effects) {
      if (effect instanceof Effect.Begin) {
        open = true;
      } else if (effect instanceof Effect.End end) {
        open &= end.isChained();
      }
    }
    return open;
  }

  private static StatementText single(String sql, int hintedNode, TextScan.Part part) {
    Control control = SessionCommands.control(part);
    List<Effect> effects = SessionCommands.effects(part, control);
    String first = part.word(0);
    boolean isRead = first.equals("SELECT") || first.equals("VALUES");
    boolean readsNoTable = isRead && !part.hasFrom() && !part.hasInto() && !part.hasCall();
    boolean isRepeatable =
        switch (first) {
          case "SET", "RESET", "SHOW", "" -> true;
          default -> readsNoTable || control == Control.BEGIN || control == Control.SAVEPOINT;
        };
    boolean tellsNothing =
        switch (first) {
          case "DISCARD", "DEALLOCATE", "LISTEN", "UNLISTEN" -> true;
          default -> isRepeatable && !(isRead && part.hasParameter());
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
        isRepeatable,
        part.asksForSession(),
        mayWrite,
        control == Control.COMMIT,
        true,
        SessionCommands.isAtomic(part),
        control,
        effects);
  }
}
