/**
 * Platform threads, background tasks, and closing of opened parts in reverse order. Begin with
 * {@link io.gauss.common.task.BackgroundTasks} and {@link io.gauss.common.task.CloseStack}.
 */
package io.gauss.common.task;
