package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.ParamExpr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.TestDatabase.Builder;
import io.gauss.compute.sql.exec.TestDatabase.Session;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.KeyRange;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.exec.node.ValuesNode;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements by key make hardly any garbage once their operators and buffers exist. */
class AllocationTest {
  private static final int ROUNDS = 4000;

  @TempDir Path directory;
  private TestDatabase database;
  private Session session;
  private Builder table;

  @BeforeEach
  void open() {
    database = new TestDatabase(directory);
    table =
        database
            .table("t")
            .column("id", PgType.INT4)
            .column("n", PgType.INT8)
            .column("text", PgType.TEXT)
            .column("amount", PgType.numeric(10, 2))
            .primaryKey(0)
            .index("t_n", false, 1);
    database.open();
    session = database.session();
    for (long i = 0; i < 1000; i++) {
      session.insert(
          table, i, i, "some text that is long enough", java.math.BigDecimal.valueOf(i, 2));
    }
  }

  @AfterEach
  void close() {
    database.close();
  }

  private double bytesPerRun(PlanNode plan, long firstKey) {
    Execution execution = new Execution(plan);
    long[] sum = new long[1];
    ResultSink sink = (batch, from, to) -> sum[0] += batch.columns[0].longs[from];
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    double bytes = 0;
    // Two turns: the first fills buffers and lets the compiler look.
    for (int turn = 0; turn < 3; turn++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      session.txn.begin(IsolationLevel.READ_COMMITTED);
      for (int i = 0; i < ROUNDS; i++) {
        session.ctx.eval.parameters[0].setLong(
            firstKey < 0 ? i % 1000 : firstKey + turn * ROUNDS + i);
        session.txn.startStatement();
        execution.open(session.ctx);
        execution.fetch(0, sink);
        session.txn.endStatement();
      }
      session.txn.commit();
      bytes = (threads.getCurrentThreadAllocatedBytes() - before) / (double) ROUNDS;
    }
    execution.close();
    System.getLogger("allocation")
        .log(
            System.Logger.Level.INFO,
            String.format(Locale.ROOT, "%s: %.1f bytes", plan.getClass().getSimpleName(), bytes));
    return bytes;
  }

  /** Addition over longs, without garbage. */
  private static Expr plus(Expr left, Expr right) {
    return new Expr() {
      @Override
      public PgType type() {
        return left.type();
      }

      @Override
      public List<Expr> children() {
        return List.of(left, right);
      }

      @Override
      public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
        left.eval(ctx, in, row, out);
        long sum = out.l;
        right.eval(ctx, in, row, out);
        out.setLong(sum + out.l);
      }
    };
  }

  @Test
  void pointRead() {
    Expr[] key = {new ParamExpr(0, PgType.INT4)};
    PlanNode plan =
        new PointReadNode(table.def(), key, new int[] {0, 1, 2, 3}, table.handle().types(), null);
    assertTrue(bytesPerRun(plan, -1) < 64);
  }

  @Test
  void pointUpdate() {
    Expr[] key = {new ParamExpr(0, PgType.INT4)};
    Expr sum = plus(new ColumnExpr(0, PgType.INT4), new ParamExpr(0, PgType.INT4));
    PlanNode plan =
        new PointUpdateNode(table.def(), key, null, new int[] {3}, new Expr[] {numeric(sum)}, null);
    assertTrue(bytesPerRun(plan, -1) < 128);
  }

  private static Expr numeric(Expr number) {
    return new Expr() {
      @Override
      public PgType type() {
        return PgType.numeric(10, 2);
      }

      @Override
      public List<Expr> children() {
        return List.of(number);
      }

      @Override
      public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
        number.eval(ctx, in, row, out);
        out.setNumeric(out.l, 2);
      }
    };
  }

  @Test
  void shortRange() {
    ParamExpr start = new ParamExpr(0, PgType.INT8);
    KeyRange range = new KeyRange(new Expr[0], start, true, plus(start, start), true);
    KeyRange ten = new KeyRange(new Expr[] {start}, null, false, null, false);
    for (KeyRange keys : new KeyRange[] {ten, range}) {
      PlanNode plan =
          new io.gauss.compute.sql.exec.node.LimitNode(
              new RangeScanNode(
                  table.def(),
                  table.def().indexes().getFirst(),
                  new KeyRange[] {keys},
                  false,
                  new int[] {0, 2},
                  new PgType[] {PgType.INT4, PgType.TEXT},
                  null),
              TestDatabase.constant(PgType.INT8, 5L),
              null);
      // The constant of the limit makes a vector each time: a test's expression.
      assertTrue(bytesPerRun(plan, -1) < 600);
    }
  }

  @Test
  void insert() {
    ParamExpr key = new ParamExpr(0, PgType.INT4);
    ParamExpr number = new ParamExpr(0, PgType.INT8);
    Expr[] row = {key, number, new ParamExpr(1, PgType.TEXT), numeric(number)};
    session.ctx.eval.parameters[1].setBytes(new byte[] {'a', 'b'}, 0, 2);
    PlanNode plan =
        new InsertNode(
            table.def(), new ValuesNode(table.handle().types(), new Expr[][] {row}), null, null);
    assertTrue(bytesPerRun(plan, 10_000) < 600);
  }
}
