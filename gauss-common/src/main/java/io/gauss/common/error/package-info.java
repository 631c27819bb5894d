/**
 * Expected failures in the form that clients get: SQLSTATE and message. Begin with {@link
 * io.gauss.common.error.GaussException}.
 */
package io.gauss.common.error;
