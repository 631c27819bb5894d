package io.gauss.compute.sql.exec.row;

/** One column to sort by. */
public record SortKey(int column, boolean descending, boolean nullsFirst) {}
