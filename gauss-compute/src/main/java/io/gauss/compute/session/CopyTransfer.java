package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.sql.copy.CopyEncoder;
import io.gauss.compute.sql.copy.CopyInput;
import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;

/**
 * Moves the data of COPY between the client and an open plan. Only where waiting is allowed.
 * Belongs to the session.
 */
final class CopyTransfer {
  private final SessionState state;
  private final ResponseWriter out;

  CopyTransfer(SessionState state, ResponseWriter out) {
    this.state = state;
    this.out = out;
  }

  /** Runs the copy to its end and returns the number of rows copied. */
  long run(Portal portal) {
    PreparedPlan.Copy copy = portal.plan.copy();
    CopyProgress progress = new CopyProgress(copy.tableOid(), copy.from());
    state.copyProgress(progress);
    try {
      return copy.from() ? receive(portal, copy, progress) : send(portal, copy, progress);
    } finally {
      state.copyProgress(null);
    }
  }

  private long receive(Portal portal, PreparedPlan.Copy copy, CopyProgress progress) {
    CopyOptions options = copy.options();
    ExecContext exec = state.exec();
    try (CopyInput input = out.copyIn(options.isBinary(), copy.columns().size())) {
      if (options.freeze() && !state.catalog().isOwnMaking(copy.tableOid())) {
        throw new GaussException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "cannot perform COPY FREEZE because the table was not created or truncated in the"
                + " current subtransaction");
      }
      exec.copyInput = input;
      exec.copyOptions = options;
      exec.copyProgress = progress;
      portal.execution.fetch(0, (batch, from, to) -> {});
      return portal.execution.rowsAffected();
    } finally {
      exec.copyInput = null;
      exec.copyOptions = null;
      exec.copyProgress = null;
    }
  }

  private long send(Portal portal, PreparedPlan.Copy copy, CopyProgress progress) {
    CopyEncoder encoder =
        new CopyEncoder(
            copy.options(),
            copy.columns().stream().map(ResultColumn::name).toList(),
            copy.columns().stream().map(ResultColumn::type).toList(),
            state.eval());
    ByteSink data = new ByteSink(1024);
    out.copyOutResponse(copy.options().isBinary(), copy.columns().size());
    out.mark();
    encoder.header(data);
    if (encoder.isHeaderApart()) {
      send(data, progress);
    }
    portal.execution.fetch(
        0,
        (batch, from, to) -> {
          for (int row = from; row < to; row++) {
            encoder.encode(batch, row, data);
            send(data, progress);
            progress.rows++;
          }
        });
    encoder.trailer(data);
    if (data.length > 0) {
      send(data, progress);
    }
    out.copyDone();
    return progress.rows;
  }

  private void send(ByteSink data, CopyProgress progress) {
    out.copyData(data);
    progress.bytes += data.length;
    data.clear();
    out.requireVisible(state.transaction().mustBeVisible());
    // Rows before an error stay, as in PostgreSQL; the statement is never run a second time.
    out.mark();
    out.flushIfLarge(true);
  }
}
