/**
 * Platform threads, background tasks, and closing what was opened in reverse order. Begin with
 * {@link io.gauss.common.task.BackgroundTasks} and {@link io.gauss.common.task.CloseStack}.
 */
package io.gauss.common.task;
