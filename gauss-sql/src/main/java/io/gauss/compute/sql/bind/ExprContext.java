package io.gauss.compute.sql.bind;

/**
 * Where an expression stands.
 *
 * @param clause as error messages name it: WHERE, JOIN conditions, GROUP BY, VALUES, ...
 * @param aggregates collects the aggregates found; null where they are not allowed
 * @param inAggregate inside an aggregate's argument
 */
record ExprContext(Scope scope, String clause, AggregateCollector aggregates, boolean inAggregate) {
  static ExprContext of(Scope scope, String clause) {
    return new ExprContext(scope, clause, null, false);
  }

  ExprContext insideAggregate() {
    return new ExprContext(scope, clause, null, true);
  }
}
