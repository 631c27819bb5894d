/**
 * The costs of plans: selectivities, the ways to read a table and the orders in which they return
 * its rows. Begin with {@link io.gauss.compute.sql.plan.cost.CostModel} and {@link
 * io.gauss.compute.sql.plan.cost.AccessPaths}.
 */
package io.gauss.compute.sql.plan.cost;
