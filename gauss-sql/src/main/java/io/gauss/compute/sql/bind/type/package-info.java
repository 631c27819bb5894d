/**
 * Types of bound expressions, as PostgreSQL decides them: of unknown literals and parameters, of
 * both sides of a comparison, of values that must agree. Begin with {@link
 * io.gauss.compute.sql.bind.type.Coercion}.
 */
package io.gauss.compute.sql.bind.type;
