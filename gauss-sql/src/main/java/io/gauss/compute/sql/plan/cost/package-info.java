/**
 * What a plan costs: selectivities, the ways to read a table and the orders in which they give its
 * rows. Begin with {@link io.gauss.compute.sql.plan.cost.CostModel} and {@link
 * io.gauss.compute.sql.plan.cost.AccessPaths}.
 */
package io.gauss.compute.sql.plan.cost;
