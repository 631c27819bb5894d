/**
 * ANALYZE: samples of rows, what they say about columns, and when to look again. Begin with {@link
 * io.gauss.compute.catalog.statistics.StatisticsCollector} and {@link
 * io.gauss.compute.catalog.statistics.AutoAnalyze}.
 */
package io.gauss.compute.catalog.statistics;
