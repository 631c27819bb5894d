/**
 * ANALYZE: samples of rows, statistics of columns from them, and when to analyze again. Begin with
 * {@link io.gauss.compute.catalog.statistics.StatisticsCollector} and {@link
 * io.gauss.compute.catalog.statistics.AutoAnalyze}.
 */
package io.gauss.compute.catalog.statistics;
