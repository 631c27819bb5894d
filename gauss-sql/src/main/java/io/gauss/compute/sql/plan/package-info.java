/**
 * From relational algebra to plans: rewriting, access paths, join order, costs, EXPLAIN and the
 * cache of plans. Begin with {@link io.gauss.compute.sql.plan.Planner}, {@link
 * io.gauss.compute.sql.plan.PhysicalPlanner} and {@link io.gauss.compute.sql.plan.CostModel}.
 */
package io.gauss.compute.sql.plan;
