/**
 * Resolves names and types in a syntax tree as PostgreSQL's analyzer does, into relational algebra.
 * Begin with {@link io.gauss.compute.sql.bind.Binder}, {@link
 * io.gauss.compute.sql.bind.SelectBinder} and {@link io.gauss.compute.sql.bind.ExprBinder}.
 */
package io.gauss.compute.sql.bind;
