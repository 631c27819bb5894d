package io.gauss.jdbc.text;

/**
 * What a statement does to the session or to its transaction, as far as the driver has to follow
 * it. A text's effects are in the order of its statements.
 */
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
  record UnpinAll(String prefix, boolean isTransactional) implements Effect {}

  /** Something of this transaction only, to be repeated when the transaction is moved. */
  record ForTransaction(String text) implements Effect {}

  /** A transaction begins, unless one is open. */
  record Begin(String text) implements Effect {}

  /**
   * The open transaction ends.
   *
   * @param isCommit false = it is rolled back
   * @param isChained another one begins at once
   */
  record End(boolean isCommit, boolean isChained) implements Effect {}

  record Savepoint(String name, String text) implements Effect {}

  record Release(String name, String text) implements Effect {}

  record RollbackTo(String name, String text) implements Effect {}
}
