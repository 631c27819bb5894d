/**
 * System tables: pg_catalog, information_schema and the schema gauss, each computed when it is
 * read. Begin with {@link io.gauss.compute.sql.system.SystemTableRows}.
 */
package io.gauss.compute.sql.system;
