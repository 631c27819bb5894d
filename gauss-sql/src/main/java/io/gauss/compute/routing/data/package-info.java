/**
 * What nodes tell one another about routing, as values without behaviour. Begin with {@link
 * io.gauss.compute.routing.data.NodeLoad} and {@link
 * io.gauss.compute.routing.data.PublishedRouting}.
 */
package io.gauss.compute.routing.data;
