/**
 * Values without behaviour that nodes exchange about routing. Begin with {@link
 * io.gauss.compute.routing.data.NodeLoad} and {@link
 * io.gauss.compute.routing.data.PublishedRouting}.
 */
package io.gauss.compute.routing.data;
