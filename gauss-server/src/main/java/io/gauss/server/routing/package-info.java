/** Lets a compute node learn where transactions belong: samples to the trainer, and back. */
package io.gauss.server.routing;
