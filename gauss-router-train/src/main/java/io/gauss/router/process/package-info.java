/**
 * Trains in a process of its own, so that PyTorch's native code cannot end a database, take its
 * memory, or compete with it for processors: {@link io.gauss.router.process.ProcessTraining} keeps
 * the process, {@link io.gauss.router.process.TrainingMain} is what runs there, and they exchange
 * frames over the process's standard input and output.
 */
package io.gauss.router.process;
