/**
 * What keeps a part of a node from doing its work, for operators. Begin with {@link
 * io.gauss.common.health.Problem}.
 */
package io.gauss.common.health;
