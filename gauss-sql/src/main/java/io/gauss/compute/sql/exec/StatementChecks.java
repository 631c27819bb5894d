package io.gauss.compute.sql.exec;

/**
 * The checks of a statement after all its parts have changed their tables. The executor's context
 * passes it from part to part; only the operators that write know its class.
 */
public interface StatementChecks {}
