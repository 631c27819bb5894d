package io.gauss.compute.sql.exec;

/**
 * What a statement checks when all of its parts have changed their tables. The executor's context
 * carries it from part to part; only the operators that write know what it is.
 */
public interface StatementChecks {}
