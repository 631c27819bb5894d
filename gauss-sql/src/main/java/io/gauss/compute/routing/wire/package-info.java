/** Messages between compute nodes about routing: types and layout. */
package io.gauss.compute.routing.wire;
