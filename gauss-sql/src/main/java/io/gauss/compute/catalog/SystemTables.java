package io.gauss.compute.catalog;

import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Definitions of the tables of schemas pg_catalog, information_schema and gauss, whose rows are
 * made by code when they are read. They have PostgreSQL's oids and columns, as far as Gauss knows
 * what to put in; types that Gauss has not are given as the nearest one (int2vector as smallint[],
 * pg_node_tree and aclitem as text).
 */
public final class SystemTables {
  /** Their rows are in no space. */
  public static final int SPACE = 0;

  private static final Map<String, TableDef> BY_NAME = new LinkedHashMap<>();
  private static final Map<Integer, TableDef> BY_OID = new HashMap<>();

  static {
    pgCatalogRelations();
    pgCatalogServer();
    pgCatalogLocks();
    listed();
    informationSchema();
    gauss();
  }

  private SystemTables() {}

  public static boolean isSystem(TableDef table) {
    return table.space() == SPACE;
  }

  /** Null when there is no such table. */
  public static TableDef find(String schema, String name) {
    return BY_NAME.get(schema + "." + name);
  }

  static TableDef find(int oid) {
    return BY_OID.get(oid);
  }

  public static Collection<TableDef> all() {
    return BY_NAME.values();
  }

  private static void pgCatalogRelations() {
    table(
        1259,
        "pg_class",
        "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam"
            + " oid, relfilenode oid, reltablespace oid, relpages int4, reltuples float4,"
            + " relallvisible int4, reltoastrelid oid, relhasindex bool, relisshared bool,"
            + " relpersistence \"char\", relkind \"char\", relnatts int2, relchecks int2,"
            + " relhasrules bool, relhastriggers bool, relhassubclass bool, relrowsecurity bool,"
            + " relforcerowsecurity bool, relispopulated bool, relreplident \"char\","
            + " relispartition bool, relrewrite oid, relacl _text, reloptions _text, relpartbound"
            + " text");
    table(
        1249,
        "pg_attribute",
        "attrelid oid, attname name, atttypid oid, attstattarget int4, attlen int2, attnum int2,"
            + " attndims int4, atttypmod int4, attbyval bool, attalign \"char\", attstorage"
            + " \"char\", attcompression \"char\", attnotnull bool, atthasdef bool, atthasmissing"
            + " bool, attidentity \"char\", attgenerated \"char\", attisdropped bool, attislocal"
            + " bool, attinhcount int4, attcollation oid, attacl _text, attoptions _text,"
            + " attfdwoptions _text, attmissingval text");
    table(
        1247,
        "pg_type",
        "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype"
            + " \"char\", typcategory \"char\", typispreferred bool, typisdefined bool, typdelim"
            + " \"char\", typrelid oid, typsubscript regproc, typelem oid, typarray oid, typinput"
            + " regproc, typoutput regproc, typreceive regproc, typsend regproc, typmodin regproc,"
            + " typmodout regproc, typanalyze regproc, typalign \"char\", typstorage \"char\","
            + " typnotnull bool, typbasetype oid, typtypmod int4, typndims int4, typcollation oid,"
            + " typdefaultbin text, typdefault text, typacl _text");
    table(2615, "pg_namespace", "oid oid, nspname name, nspowner oid, nspacl _text");
    table(
        2610,
        "pg_index",
        "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool,"
            + " indnullsnotdistinct bool, indisprimary bool, indisexclusion bool, indimmediate"
            + " bool, indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool,"
            + " indislive bool, indisreplident bool, indkey _int2, indcollation _oid, indclass"
            + " _oid, indoption _int2, indexprs text, indpred text");
    table(
        2606,
        "pg_constraint",
        "oid oid, conname name, connamespace oid, contype \"char\", condeferrable bool, condeferred"
            + " bool, convalidated bool, conrelid oid, contypid oid, conindid oid, conparentid oid,"
            + " confrelid oid, confupdtype \"char\", confdeltype \"char\", confmatchtype \"char\","
            + " conislocal bool, coninhcount int4, connoinherit bool, conkey _int2, confkey _int2,"
            + " conpfeqop _oid, conppeqop _oid, conffeqop _oid, confdelsetcols _int2, conexclop"
            + " _oid, conbin text");
    table(2604, "pg_attrdef", "oid oid, adrelid oid, adnum int2, adbin text");
    table(
        2224,
        "pg_sequence",
        "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8,"
            + " seqcache int8, seqcycle bool");
    table(
        2608,
        "pg_depend",
        "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4,"
            + " deptype \"char\"");
    table(
        12030,
        "pg_tables",
        "schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool,"
            + " hasrules bool, hastriggers bool, rowsecurity bool");
    table(
        12040,
        "pg_indexes",
        "schemaname name, tablename name, indexname name, tablespace name, indexdef text");
    table(
        12035,
        "pg_sequences",
        "schemaname name, sequencename name, sequenceowner name, data_type regtype, start_value"
            + " int8, min_value int8, max_value int8, increment_by int8, cycle bool, cache_size"
            + " int8");
    table(
        12060,
        "pg_stats",
        "schemaname name, tablename name, attname name, inherited bool, null_frac float4, avg_width"
            + " int4, n_distinct float4");
  }

  private static void pgCatalogServer() {
    table(2601, "pg_am", "oid oid, amname name, amhandler regproc, amtype \"char\"");
    table(
        1262,
        "pg_database",
        "oid oid, datname name, datdba oid, encoding int4, datlocprovider \"char\", datistemplate"
            + " bool, datallowconn bool, datconnlimit int4, dattablespace oid, datcollate text,"
            + " datctype text, daticulocale text, datcollversion text, datacl _text");
    table(
        12000,
        "pg_roles",
        "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool,"
            + " rolcanlogin bool, rolreplication bool, rolconnlimit int4, rolpassword text,"
            + " rolvaliduntil timestamptz, rolbypassrls bool, rolconfig _text, oid oid");
    table(
        1260,
        "pg_authid",
        "oid oid, rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb"
            + " bool, rolcanlogin bool, rolreplication bool, rolbypassrls bool, rolconnlimit int4,"
            + " rolpassword text, rolvaliduntil timestamptz");
    table(
        12005,
        "pg_user",
        "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls"
            + " bool, passwd text, valuntil timestamptz, useconfig _text");
    table(
        3456,
        "pg_collation",
        "oid oid, collname name, collnamespace oid, collowner oid, collprovider \"char\","
            + " collisdeterministic bool, collencoding int4, collcollate text, collctype text,"
            + " colliculocale text, collversion text");
    table(
        1213,
        "pg_tablespace",
        "oid oid, spcname name, spcowner oid, spcacl _text, spcoptions _text");
    table(
        2612,
        "pg_language",
        "oid oid, lanname name, lanowner oid, lanispl bool, lanpltrusted bool, lanplcallfoid oid,"
            + " laninline oid, lanvalidator oid, lanacl _text");
    table(
        12140,
        "pg_settings",
        "name text, setting text, unit text, category text, short_desc text, extra_desc text,"
            + " context text, vartype text, source text, min_val text, max_val text, enumvals"
            + " _text, boot_val text, reset_val text, sourcefile text, sourceline int4,"
            + " pending_restart bool");
    table(
        12250,
        "pg_stat_activity",
        "datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name,"
            + " application_name text, client_addr text, client_hostname text, client_port int4,"
            + " backend_start timestamptz, xact_start timestamptz, query_start timestamptz,"
            + " state_change timestamptz, wait_event_type text, wait_event text, state text,"
            + " backend_xid int8, backend_xmin int8, query_id int8, query text, backend_type text");
  }

  private static void pgCatalogLocks() {
    table(
        12286,
        "pg_stat_progress_copy",
        "pid int4, datid oid, datname name, relid oid, command text, type text,"
            + " bytes_processed int8, bytes_total int8, tuples_processed int8,"
            + " tuples_excluded int8");
    table(
        12253,
        "pg_locks",
        "locktype text, database oid, relation oid, page int4, tuple int2, virtualxid text,"
            + " transactionid int8, classid oid, objid oid, objsubid int2, virtualtransaction text,"
            + " pid int4, mode text, granted bool, fastpath bool, waitstart timestamptz");
  }

  /**
   * The others, most of them without rows here, are in a resource: {@code oid schema.name:
   * columns}.
   */
  private static void listed() {
    try (InputStream in =
            Objects.requireNonNull(SystemTables.class.getResourceAsStream("system-tables.txt"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
      for (String line : lines.lines().toList()) {
        int blank = line.indexOf(' ');
        int point = line.indexOf('.');
        int colon = line.indexOf(':');
        add(
            line.substring(blank + 1, point),
            Integer.parseInt(line.substring(0, blank)),
            line.substring(point + 1, colon),
            line.substring(colon + 2));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void informationSchema() {
    add(
        "information_schema",
        13000,
        "schemata",
        "catalog_name name, schema_name name, schema_owner name");
    add(
        "information_schema",
        13001,
        "tables",
        "table_catalog name, table_schema name, table_name name, table_type varchar,"
            + " is_insertable_into varchar, is_typed varchar");
    add(
        "information_schema",
        13002,
        "columns",
        "table_catalog name, table_schema name, table_name name, column_name name,"
            + " ordinal_position int4, column_default varchar, is_nullable varchar, data_type"
            + " varchar, character_maximum_length int4, character_octet_length int4,"
            + " numeric_precision int4, numeric_precision_radix int4, numeric_scale int4,"
            + " datetime_precision int4, udt_catalog name, udt_schema name, udt_name name,"
            + " is_identity varchar, identity_generation varchar, is_generated varchar,"
            + " generation_expression varchar,"
            + " is_updatable varchar");
    add(
        "information_schema",
        13003,
        "table_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog"
            + " name, table_schema name, table_name name, constraint_type varchar, is_deferrable"
            + " varchar, initially_deferred varchar, enforced varchar");
    add(
        "information_schema",
        13004,
        "key_column_usage",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog"
            + " name, table_schema name, table_name name, column_name name, ordinal_position int4,"
            + " position_in_unique_constraint int4");
    add(
        "information_schema",
        13005,
        "referential_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name,"
            + " unique_constraint_catalog name, unique_constraint_schema name,"
            + " unique_constraint_name name, match_option varchar, update_rule varchar, delete_rule"
            + " varchar");
    add(
        "information_schema",
        13006,
        "sequences",
        "sequence_catalog name, sequence_schema name, sequence_name name, data_type varchar,"
            + " start_value varchar, minimum_value varchar, maximum_value varchar, increment"
            + " varchar, cycle_option varchar");
  }

  private static void gauss() {
    add(
        "gauss",
        14000,
        "sessions",
        "node int4, pid int4, usename name, application_name text, client text, state text, query"
            + " text");
    add(
        "gauss",
        14001,
        "table_statistics",
        "schemaname name, tablename name, columnname name, rows float8, pages float8, null_fraction"
            + " float8, distinct_values float8, average_width float8, histogram_bounds int4");
    add(
        "gauss",
        14002,
        "nodes",
        "id int4, role text, host text, port int4, pid int8, version text, started timestamptz,"
            + " state text, slot int4, epoch int4, buckets int4, sessions int4, active int4, load"
            + " float8");
    add(
        "gauss",
        14003,
        "streams",
        "id int4, start_offset int8, durable_offset int8, reserved_offset int8, applied_offset"
            + " int8, checkpoint_offset int8, undurable_bytes int8, apply_lag_bytes int8, last_lsn"
            + " int8, state text");
    add("gauss", 14004, "waits", "cause text, waits int8, total_ms float8, mean_ms float8");
    add(
        "gauss",
        14005,
        "statements",
        "kind text, calls int8, total_ms float8, mean_ms float8, p50_ms float8, p95_ms float8,"
            + " p99_ms float8, max_ms float8");
    add("gauss", 14006, "statement_latencies", "kind text, up_to_ms float8, calls int8");
    add(
        "gauss",
        14007,
        "transactions",
        "node int4, pid int4, xid int8, state text, isolation text, started timestamptz,"
            + " age_seconds float8, snapshot_lsn int8, table_locks int4, waiting_ms float8");
    add(
        "gauss",
        14008,
        "locks",
        "node int4, pid int4, xid int8, kind text, schemaname name, tablename name, mode text,"
            + " granted bool, waits_for_xid int8, waiting_ms float8");
    add(
        "gauss",
        14009,
        "buffer",
        "schemaname name, name name, kind text, pages int8, bytes int8, share float8");
    add("gauss", 14010, "store_check", "name text, problem text, ms float8");
    add(
        "gauss",
        14011,
        "page_transfers",
        "schemaname name, name name, kind text, page text, copies_in int8, owned_in int8, bytes_in"
            + " int8, copies_out int8, owned_out int8, bytes_out int8, from_memory int8,"
            + " from_storage int8, for_same_row int8, for_other_row int8, for_new_row int8");
    add(
        "gauss",
        14012,
        "page_transfer_phases",
        "schemaname name, name name, kind text, phase text, transfers int8, mean_ms float8, p50_ms"
            + " float8, p99_ms float8, max_ms float8");
    add(
        "gauss",
        14013,
        "page_owners",
        "schemaname name, name name, kind text, holding text, node int4, pages int8");
    add(
        "gauss",
        14015,
        "waiting",
        "node int4, pid int4, cause text, schemaname name, name name, page text, waits_for_xid"
            + " int8, waits_for_node int4, since timestamptz, waiting_ms float8");
    add(
        "gauss",
        14014,
        "sharers",
        "schemaname name, name name, kind text, reader int4, pages int8");
    add(
        "gauss",
        14016,
        "routing",
        "node int4, routing text, transactions int8, page_accesses int8, transfers int8,"
            + " transfers_per_transaction float8, sampled int8, sampled_pages int8,"
            + " sampled_transfers int8, here_share float8");
    add(
        "gauss",
        14017,
        "routing_samples",
        "node int4, ended timestamptz, routing text, committed bool, statement text, parameters"
            + " _text, page_groups _int8, written_groups _int8, pages int4, transfers int8,"
            + " complete bool");
    add(
        "gauss",
        14018,
        "routing_publications",
        "kind text, version int8, checksum int8, size int4, published timestamptz, content bytea");
    add(
        "gauss",
        14019,
        "page_placement",
        "node int4, groups int4, offered int8, hot int8, asked int8, placed int8, refused int8,"
            + " failed int8");
    add(
        "gauss",
        14020,
        "reroutes",
        "node int4, to_node int4, reason text, transactions int8, lost int8, hand_over_ms float8");
  }

  private static void table(int oid, String name, String columns) {
    add("pg_catalog", oid, name, columns);
  }

  private static void add(String schema, int oid, String name, String columns) {
    List<ColumnDef> defs = new ArrayList<>();
    for (String column : columns.split(", ")) {
      int blank = column.indexOf(' ');
      defs.add(
          ColumnDef.of(
              defs.size() + 1,
              column.substring(0, blank),
              type(column.substring(blank + 1)),
              false));
    }
    TableDef table =
        new TableDef(
            oid,
            schema,
            name,
            SPACE,
            List.copyOf(defs),
            new int[0],
            null,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            SystemTableStatistics.of(name, defs));
    BY_NAME.put(schema + "." + name, table);
    if (BY_OID.put(oid, table) != null) {
      throw new IllegalStateException("oid " + oid + " twice");
    }
  }

  private static PgType type(String name) {
    return name.startsWith("_") ? element(name.substring(1)).array() : element(name);
  }

  private static PgType element(String name) {
    return name.equals("\"char\"") || name.equals("char") ? PgType.CHAR : PgTypes.byName(name);
  }
}
