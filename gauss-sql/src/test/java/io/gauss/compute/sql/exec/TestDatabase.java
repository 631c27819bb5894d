package io.gauss.compute.sql.exec;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.sql.exec.node.DeleteNode;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.UpdateNode;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.store.StoreEngine;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Tables over the engine in memory, and sessions that run plans made by hand. */
final class TestDatabase implements AutoCloseable {
  final StoreEngine engine = new StoreEngine(4000, Integer.MAX_VALUE);
  private final TemporaryFiles files;
  private final Map<Integer, TableHandle> tables = new HashMap<>();
  private final List<Builder> builders = new ArrayList<>();
  private int nextOid = 100;

  TestDatabase(Path directory) {
    files = new TemporaryFiles(directory);
  }

  Builder table(String name) {
    return new Builder(name, nextOid++);
  }

  TableHandle handle(int oid) {
    return tables.get(oid);
  }

  /** Builds the handles of all tables with each other's foreign keys. */
  void open() {
    for (Builder builder : builders) {
      builder.make();
    }
  }

  Session session() {
    return new Session();
  }

  @Override
  public void close() {
    engine.close();
  }

  /** Defines a table. */
  final class Builder {
    final String name;
    final int oid;
    private final List<ColumnDef> columns = new ArrayList<>();
    private final List<IndexDef> indexes = new ArrayList<>();
    private final List<CheckDef> checks = new ArrayList<>();
    private final List<Expr> checkExprs = new ArrayList<>();
    private final Map<Integer, Expr> defaults = new HashMap<>();
    private final List<ForeignKeyDef> foreignKeys = new ArrayList<>();
    private final List<ForeignKeyDef> referencedBy = new ArrayList<>();
    private int[] primaryKey = {};
    private int space;
    private VersionedTree[] trees;

    Builder(String name, int oid) {
      this.name = name;
      this.oid = oid;
      builders.add(this);
    }

    Builder column(String column, PgType type) {
      columns.add(ColumnDef.of(columns.size() + 1, column, type, false));
      return this;
    }

    Builder notNull(String column, PgType type) {
      columns.add(ColumnDef.of(columns.size() + 1, column, type, true));
      return this;
    }

    Builder primaryKey(int... key) {
      primaryKey = key;
      for (int column : key) {
        ColumnDef c = columns.get(column);
        columns.set(column, ColumnDef.of(c.number(), c.name(), c.type(), true));
      }
      return this;
    }

    Builder index(String index, boolean unique, int... key) {
      indexes.add(IndexDef.ascending(nextOid++, index, 0, key, unique, unique));
      return this;
    }

    Builder check(String check, Function<List<Object>, Boolean> condition) {
      checks.add(new CheckDef(nextOid++, check, check));
      checkExprs.add(Plans.condition(condition));
      return this;
    }

    Builder defaultValue(int column, Expr value) {
      defaults.put(column, value);
      return this;
    }

    /** A foreign key to the parent's primary key, or its first index when it has that column. */
    Builder references(
        String key,
        int column,
        Builder parent,
        int parentColumn,
        Action onDelete,
        Action onUpdate) {
      int referencedIndex =
          Arrays.equals(parent.primaryKey, new int[] {parentColumn})
              ? 0
              : parent.indexOn(parentColumn);
      ForeignKeyDef def =
          new ForeignKeyDef(
              nextOid++,
              key,
              oid,
              new int[] {column},
              parent.oid,
              new int[] {parentColumn},
              referencedIndex,
              indexOn(column),
              onUpdate,
              onDelete,
              Deferral.NOT_DEFERRABLE);
      foreignKeys.add(def);
      parent.referencedBy.add(def);
      return this;
    }

    private int indexOn(int column) {
      for (IndexDef index : indexes) {
        if (index.columns()[0] == column) {
          return index.oid();
        }
      }
      if (primaryKey.length > 0 && primaryKey[0] == column) {
        return 0;
      }
      throw new IllegalArgumentException("no index on column " + column + " of " + name);
    }

    private void make() {
      EngineContext ctx = engine.newContext();
      if (trees == null) {
        space = engine.store().create(ctx);
        trees = new VersionedTree[indexes.size()];
        for (int i = 0; i < trees.length; i++) {
          trees[i] = engine.store().tree(engine.store().create(ctx));
        }
      }
      TableDef def =
          new TableDef(
              oid,
              "public",
              name,
              space,
              columns,
              primaryKey,
              name + "_pkey",
              indexes,
              checks,
              foreignKeys,
              referencedBy,
              TableStatistics.UNKNOWN);
      Expr[] initial = new Expr[columns.size()];
      for (int i = 0; i < initial.length; i++) {
        initial[i] = defaults.getOrDefault(i, constant(columns.get(i).type(), null));
      }
      tables.put(
          oid,
          new TableHandle(
              def,
              engine.store().tree(space),
              trees,
              () -> engine.engine().clock().next(1),
              () -> new TableHandle.Expressions(checkExprs.toArray(Expr[]::new), initial)));
    }

    TableHandle handle() {
      return Objects.requireNonNull(tables.get(oid));
    }

    TableDef def() {
      return handle().def();
    }
  }

  static Expr constant(PgType type, Object value) {
    return new Expr() {
      @Override
      public PgType type() {
        return type;
      }

      @Override
      public void eval(EvalContext ctx, io.gauss.compute.row.RowBatch in, int row, Value out) {
        io.gauss.compute.row.ColumnVector column =
            new io.gauss.compute.row.ColumnVector(type.kind());
        Plans.set(column, 0, value);
        column.get(0, out);
      }
    };
  }

  Transactions transactions() {
    return engine.transactions();
  }

  /** One session; a statement outside a transaction commits by itself. */
  final class Session {
    final EngineContext engineContext = engine.newContext();
    final Transaction txn = engine.transactions().session(engineContext);
    final ExecContext ctx = new ExecContext();
    private boolean explicit;

    Session() {
      ctx.engine = engineContext;
      ctx.transaction = txn;
      ctx.eval = new EvalContext();
      ctx.eval.parameters = new Value[8];
      for (int i = 0; i < 8; i++) {
        ctx.eval.parameters[i] = new Value();
      }
      ctx.tables = tables::get;
      ctx.temporaryFiles = files;
    }

    void begin(IsolationLevel level) {
      txn.begin(level);
      explicit = true;
    }

    void commit() {
      txn.commit();
      explicit = false;
    }

    void rollback() {
      txn.rollback();
      explicit = false;
    }

    long affected;

    List<List<Object>> run(PlanNode plan) {
      if (!explicit) {
        txn.begin(IsolationLevel.READ_COMMITTED);
      }
      Execution execution = new Execution(plan);
      boolean done = false;
      try {
        txn.startStatement();
        List<List<Object>> rows = Plans.run(execution, ctx);
        affected = execution.rowsAffected();
        txn.endStatement();
        if (!explicit) {
          txn.commit();
        }
        done = true;
        return rows;
      } finally {
        if (!done) {
          if (explicit) {
            txn.rollbackStatement();
            txn.endStatement();
          } else {
            txn.rollback();
          }
        }
        if (engineContext.latchesHeld() != 0) {
          throw new AssertionError("latches held: " + engineContext.latchesHeld());
        }
      }
    }

    void insert(Builder table, Object... values) {
      run(insertPlan(table, List.of(Arrays.asList(values)), null, null));
    }

    List<List<Object>> all(Builder table) {
      TableHandle handle = table.handle();
      return run(new FullScanNode(handle.def(), handle.allColumns(), handle.types(), null));
    }

    /**
     * UPDATE of all rows for which the condition holds, by a function that gives the new value of
     * one column.
     */
    long update(
        Builder table,
        Function<List<Object>, Boolean> where,
        int column,
        Function<List<Object>, Object> value) {
      run(updatePlan(table, where, column, value));
      return affected;
    }

    long delete(Builder table, Function<List<Object>, Boolean> where) {
      Expr condition = Plans.condition(row -> where.apply(row));
      int count = table.handle().types().length;
      run(
          new DeleteNode(
              table.def(),
              withKey(table, condition),
              count,
              table.handle().allColumns(),
              condition,
              null));
      return affected;
    }
  }

  static PlanNode insertPlan(
      Builder table, List<List<Object>> rows, InsertNode.OnConflict onConflict, Expr[] returning) {
    return new InsertNode(
        table.def(), Plans.rows(table.handle().types(), rows), onConflict, returning);
  }

  static UpdateNode updatePlan(
      Builder table,
      Function<List<Object>, Boolean> where,
      int column,
      Function<List<Object>, Object> value) {
    Expr condition = Plans.condition(where);
    int count = table.handle().types().length;
    return new UpdateNode(
        table.def(),
        withKey(table, condition),
        count,
        table.handle().allColumns(),
        new int[] {column},
        new Expr[] {Plans.expr(table.handle().types()[column], value)},
        condition,
        null);
  }

  /** All columns and the row's key; the condition above, as it may look at no row key. */
  static PlanNode withKey(Builder table, Expr condition) {
    TableHandle handle = table.handle();
    int count = handle.types().length;
    int[] columns = Arrays.copyOf(handle.allColumns(), count + 1);
    columns[count] = PlanNode.ROW_KEY;
    PgType[] types = Arrays.copyOf(handle.types(), count + 1);
    types[count] = PgType.BYTEA;
    PlanNode scan = new FullScanNode(handle.def(), columns, types, null);
    return new io.gauss.compute.sql.exec.node.FilterNode(scan, condition);
  }
}
