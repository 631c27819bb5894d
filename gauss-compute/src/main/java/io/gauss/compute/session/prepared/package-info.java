/**
 * Prepared statements: parsed texts with their plans and the operators of the last execution, by
 * name and by plan. Begin with {@link io.gauss.compute.session.prepared.PreparedStatement}.
 */
package io.gauss.compute.session.prepared;
