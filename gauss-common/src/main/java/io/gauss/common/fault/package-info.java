/**
 * Named points in the code at which tests crash, fail or delay a process. Begin with {@link
 * io.gauss.common.fault.FaultPoints}.
 */
package io.gauss.common.fault;
