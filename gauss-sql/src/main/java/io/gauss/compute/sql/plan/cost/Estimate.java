package io.gauss.compute.sql.plan.cost;

/**
 * The planner's estimates for a plan node, in PostgreSQL's unit: one sequentially read page costs
 * 1.
 *
 * @param startup cost before the first row
 * @param total cost until the last row
 * @param rows rows emitted by one execution
 * @param width average bytes of a row
 */
public record Estimate(double startup, double total, double rows, int width) {
  public Estimate plus(double cost, double newRows) {
    return new Estimate(startup, total + cost, newRows, width);
  }
}
