package io.gauss.compute.sql.algebra;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;

/** A statement whose names and types are resolved: the planner's input. */
public sealed interface BoundStatement {
  /** Types of {@code $1..$n}. */
  PgType[] parameters();

  /** Result columns; empty for DML without RETURNING. */
  List<BoundQuery.Output> columns();

  /** SELECT, VALUES, TABLE. */
  record Query(BoundQuery query, PgType[] parameters) implements BoundStatement {
    @Override
    public List<BoundQuery.Output> columns() {
      return query.columns();
    }
  }

  /**
   * INSERT.
   *
   * @param source emits all table columns in table order, typed
   * @param returning over the table's columns; null = none
   */
  record Insert(
      TableDef table,
      RelNode source,
      OnConflict onConflict,
      List<RexNode> returning,
      List<BoundQuery.Output> columns,
      PgType[] parameters)
      implements BoundStatement {}

  /**
   * COPY FROM.
   *
   * @param targets positions of the table's columns that the data has, in the data's order
   * @param conversions by column of the data, over the table's columns, from what the data has to
   *     the column's type with its modifier or domain; null = there is nothing to do
   * @param defaults by column of the table, null for those that the data has
   * @param where over the table's columns; null = none
   */
  record CopyFrom(
      TableDef table,
      int[] targets,
      List<RexNode> conversions,
      List<RexNode> defaults,
      RexNode where)
      implements BoundStatement {
    private static final PgType[] NO_PARAMETERS = new PgType[0];

    @Override
    public PgType[] parameters() {
      return NO_PARAMETERS;
    }

    @Override
    public List<BoundQuery.Output> columns() {
      return List.of();
    }
  }

  /**
   * ON CONFLICT.
   *
   * @param anyIndex no target was written
   * @param arbiter index that decides; null = the primary key
   * @param setColumns columns to set; null = DO NOTHING
   * @param setValues over the existing row's columns ++ the excluded row's columns
   * @param where over the same; null = none
   */
  record OnConflict(
      boolean anyIndex,
      TableDef.IndexDef arbiter,
      int[] setColumns,
      List<RexNode> setValues,
      RexNode where) {}

  /**
   * UPDATE and DELETE.
   *
   * @param from algebra of target and FROM or USING entries, WHERE applied; the target's columns
   *     come first, then its row key
   * @param condition WHERE, over the row of {@code from}
   * @param setColumns columns to set; null = DELETE
   * @param setValues over the row of {@code from}
   * @param returning over the target's new (UPDATE) or old (DELETE) columns ++ the row of {@code
   *     from}; null = none
   */
  record Modify(
      TableDef table,
      RelNode from,
      RexNode condition,
      int[] setColumns,
      List<RexNode> setValues,
      List<RexNode> returning,
      List<BoundQuery.Output> columns,
      PgType[] parameters)
      implements BoundStatement {
    public boolean isDelete() {
      return setColumns == null;
    }
  }
}
