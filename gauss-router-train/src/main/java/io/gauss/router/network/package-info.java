/**
 * Trains the network that predicts which units a transaction touches: by PyTorch, or in plain Java
 * with the same results. It knows neither samples nor page groups, only rows of numbers, and has no
 * clocks or processes of its own.
 */
package io.gauss.router.network;
