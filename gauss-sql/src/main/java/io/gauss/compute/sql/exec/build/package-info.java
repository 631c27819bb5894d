/**
 * Fills and checks trees for DDL: new indexes, rewritten tables, new constraints. Begin with {@link
 * io.gauss.compute.sql.exec.build.IndexBuild} and {@link
 * io.gauss.compute.sql.exec.build.TableRewrite}.
 */
package io.gauss.compute.sql.exec.build;
