/**
 * From relational algebra to plans: physical plans, join order, EXPLAIN and the cache of plans.
 * Begin with {@link io.gauss.compute.sql.plan.Planner}, {@link
 * io.gauss.compute.sql.plan.PhysicalPlanner} and {@link io.gauss.compute.sql.plan.cost.CostModel}.
 */
package io.gauss.compute.sql.plan;
