/**
 * Definitions of tables, views, sequences, schemas and roles: immutable objects, replaced as a
 * whole, and the tree that keeps them. Begin with {@link io.gauss.compute.catalog.Catalog}, {@link
 * io.gauss.compute.catalog.CatalogSnapshot} and {@link io.gauss.compute.catalog.TableDef}.
 */
package io.gauss.compute.catalog;
