/**
 * Problems that keep a part of a node from working, for operators. Begin with {@link
 * io.gauss.common.health.Problem}.
 */
package io.gauss.common.health;
