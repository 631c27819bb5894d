/** Storage nodes of a simulation: stand-ins for Ratis and RocksDB with the same contracts. */
package io.gauss.simulation.storage;
