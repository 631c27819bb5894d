package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.algebra.PgRex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlNodeList;

/**
 * Names that an expression can see: the FROM entries of its query level, then those of the outer
 * levels, then common table expressions. Belongs to one binding.
 *
 * <p>A reference to an outer level becomes a field of a correlation variable that stands for the
 * outer level's FROM row.
 */
final class Scope {
  final Scope parent;
  final List<Relation> relations = new ArrayList<>();
  final Map<String, Cte> ctes = new HashMap<>();
  private final RelOptCluster cluster;
  private final Map<Integer, Integer> uses = new HashMap<>();

  /** Row of the FROM clause; known once the clause is bound. */
  private RelDataType rowType;

  private CorrelationId correlation;

  /** Set while FROM is being bound: only LATERAL may refer to this level then. */
  boolean fromOpen = true;

  /**
   * While FROM is being bound: the scope of LATERAL items and functions. Null = nothing of this
   * level.
   */
  Scope lateral;

  /** Definitions of the level's WINDOW clause. */
  SqlNodeList windows = SqlNodeList.EMPTY;

  Scope(Scope parent, RelOptCluster cluster) {
    this.parent = parent;
    this.cluster = cluster;
  }

  /** A common table expression. */
  static final class Cte {
    final String name;
    final BoundQuery query;

    /** The table that a reference reads; null when it reads the query itself. */
    final CommonTable table;

    /** Whether it stands for the rows of the previous iteration, inside its own query. */
    final boolean ofItself;

    /**
     * @param query columns; null for a {@code table} that has no RETURNING
     */
    Cte(String name, BoundQuery query, CommonTable table) {
      this(name, query, table, false);
    }

    private Cte(String name, BoundQuery query, CommonTable table, boolean ofItself) {
      this.name = name;
      this.query = query;
      this.table = table;
      this.ofItself = ofItself;
    }

    /** The name inside its own recursive query. */
    static Cte ofItself(String name, BoundQuery query) {
      return new Cte(name, query, null, true);
    }
  }

  void noteUse(int field, int position) {
    uses.putIfAbsent(field, position);
  }

  /** Where a column was first used outside of aggregates, 0 = nowhere. */
  int use(int field) {
    return uses.getOrDefault(field, 0);
  }

  void close(RelDataType type) {
    rowType = type;
    fromOpen = false;
  }

  RelDataType rowType() {
    return rowType;
  }

  /** The variable through which inner levels refer to this level's row; null when none does. */
  CorrelationId correlation() {
    return correlation;
  }

  /** A new variable, for a row other than that of the FROM clause. */
  CorrelationId newCorrelation() {
    return cluster.createCorrel();
  }

  Cte cte(String name) {
    for (Scope scope = this; scope != null; scope = scope.parent) {
      Cte cte = scope.ctes.get(name);
      if (cte != null) {
        return cte;
      }
    }
    return null;
  }

  /** The column to which a name was resolved. */
  record Found(RexNode expression, Relation.Column column, Relation relation, int level) {}

  /** Resolves an unqualified column name; null when there is none. */
  Found column(String name, int position) {
    int level = 0;
    for (Scope scope = this; scope != null; scope = scope.parent) {
      if (level > 0 && scope.fromOpen) {
        level++;
        continue;
      }
      Found found = null;
      for (Relation relation : scope.relations) {
        if (!relation.unqualifiedVisible) {
          continue;
        }
        for (Relation.Column column : relation.columns) {
          if (column.name().equals(name)) {
            if (found != null) {
              throw new GaussException(
                      SqlState.AMBIGUOUS_COLUMN, "column reference \"" + name + "\" is ambiguous")
                  .position(position);
            }
            found = new Found(column.expression(), column, relation, level);
          }
        }
      }
      if (found != null) {
        return scope.outward(found);
      }
      level++;
    }
    return null;
  }

  /** Resolves {@code relation.column}; null when the relation does not exist. */
  Relation relation(String schema, String name) {
    for (Scope scope = this; scope != null; scope = scope.parent) {
      Relation found = scope.ownRelation(schema, name);
      if (found != null && !(scope != this && scope.fromOpen)) {
        return found;
      }
    }
    return null;
  }

  /** Whether an outer level has the relation, but may not be referred to from here. */
  boolean hides(String schema, String name) {
    for (Scope scope = this; scope != null; scope = scope.parent) {
      if (scope.ownRelation(schema, name) != null) {
        return true;
      }
    }
    return false;
  }

  Relation ownRelation(String schema, String name) {
    for (Relation relation : relations) {
      if (relation.qualifiedVisible
          && relation.name.equals(name)
          && (schema == null || schema.equals(relation.schema))) {
        return relation;
      }
    }
    return null;
  }

  /** A column of a relation found by {@link #relation}; null when it has none of that name. */
  Found columnOf(Relation relation, String name, int position) {
    int level = 0;
    for (Scope scope = this; scope != null; scope = scope.parent, level++) {
      if (scope.relations.contains(relation)) {
        Found found = null;
        for (Relation.Column column : relation.columns) {
          if (column.name().equals(name)) {
            if (found != null) {
              throw new GaussException(
                      SqlState.AMBIGUOUS_COLUMN, "column reference \"" + name + "\" is ambiguous")
                  .position(position);
            }
            found = new Found(column.expression(), column, relation, level);
          }
        }
        return found == null ? null : scope.outward(found);
      }
    }
    return null;
  }

  /** A column of a relation that is visible from here. */
  Found found(Relation relation, Relation.Column column) {
    int level = 0;
    for (Scope scope = this; scope != null; scope = scope.parent, level++) {
      if (scope.relations.contains(relation)) {
        return scope.outward(new Found(column.expression(), column, relation, level));
      }
    }
    throw new IllegalStateException("not visible: " + relation.name);
  }

  /** For an inner level: turns references to this level into fields of the correlation variable. */
  private Found outward(Found found) {
    if (found.level() == 0) {
      return found;
    }
    if (correlation == null) {
      correlation = cluster.createCorrel();
    }
    RexNode variable = PgRex.BUILDER.makeCorrel(rowType, correlation);
    RexNode expression =
        found
            .expression()
            .accept(
                new RexShuttle() {
                  @Override
                  public RexNode visitInputRef(RexInputRef ref) {
                    return PgRex.BUILDER.makeFieldAccess(variable, ref.getIndex());
                  }
                });
    return new Found(expression, found.column(), found.relation(), found.level());
  }
}
