package io.gauss.compute.catalog;

import io.gauss.compute.engine.Checker;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;

/**
 * Checks every sequence: its row is sound, and no value in hand is outside the range that the row
 * reserves, so that no value can be given out twice after a crash.
 */
public final class SequenceChecker implements Checker {
  private final Catalog catalog;
  private final Sequences sequences;
  private final Transactions transactions;

  public SequenceChecker(Catalog catalog, Sequences sequences, Transactions transactions) {
    this.catalog = catalog;
    this.sequences = sequences;
    this.transactions = transactions;
  }

  @Override
  public String name() {
    return "sequences";
  }

  @Override
  public void check(EngineContext ctx) {
    Transaction reader = transactions.session(ctx);
    try {
      reader.begin(IsolationLevel.READ_COMMITTED);
      for (SequenceDef sequence : catalog.current().sequences()) {
        String problem = sequences.problem(sequence, reader);
        if (problem != null) {
          throw new IllegalStateException(
              "sequence " + sequence.schema() + "." + sequence.name() + " " + problem);
        }
      }
    } finally {
      reader.close();
    }
  }
}
