/** What compute nodes say to each other about routing: message type and layout. */
package io.gauss.compute.routing.wire;
