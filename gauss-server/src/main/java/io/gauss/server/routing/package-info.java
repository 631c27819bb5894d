/**
 * Lets a compute node learn where transactions belong: passes samples to the trainer, and its
 * results back.
 */
package io.gauss.server.routing;
