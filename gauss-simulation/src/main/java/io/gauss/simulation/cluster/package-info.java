/** A cluster of the product's own nodes in a simulation, its clients, and what happens to it. */
package io.gauss.simulation.cluster;
