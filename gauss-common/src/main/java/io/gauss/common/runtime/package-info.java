/**
 * The one door to what makes two runs of the same program differ: threads and when they run, time,
 * and random numbers. Everything goes through {@link io.gauss.common.runtime.Environment}: in
 * production to the JVM, in a simulation to a scheduler in which a seed decides everything.
 */
package io.gauss.common.runtime;
