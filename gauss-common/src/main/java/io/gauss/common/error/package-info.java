/**
 * Expected failures, as clients get them: SQLSTATE and message. Begin with {@link
 * io.gauss.common.error.GaussException}.
 */
package io.gauss.common.error;
