package io.gauss.compute.node;

import io.gauss.common.id.Xid;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.notify.Notifications;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Outcomes of other nodes' transactions, from whichever node answers for them. */
record CommitOutcomes(Transactions transactions, Supplier<EngineContext> contexts)
    implements Notifications.Outcomes {
  private static final Logger LOG = LoggerFactory.getLogger(CommitOutcomes.class);

  @Override
  public Boolean isCommitted(long xid) {
    EngineContext context = contexts.get();
    context.waits().mayBlock(true);
    Transaction asker = transactions.session(context);
    try {
      asker.begin(IsolationLevel.READ_COMMITTED);
      return switch (transactions.outcome(xid, asker)) {
        case IN_PROGRESS -> null;
        case COMMITTED -> true;
        case ABORTED -> false;
        case UNKNOWN -> {
          // Too long ago. Who listens looks once too often rather than never.
          LOG.warn("what became of transaction {} is not known any more", Xid.toString(xid));
          yield true;
        }
      };
    } finally {
      asker.close();
      context.idle();
    }
  }
}
