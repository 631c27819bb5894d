/**
 * Changes of the cluster map, and their results. Begin with {@link
 * io.gauss.storage.map.command.MapCommand} and {@link io.gauss.storage.map.command.MapResult}.
 */
package io.gauss.storage.map.command;
