package io.gauss.compute.sql.plan;

import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.plan.cost.TableEstimates;
import java.util.List;

/** Catalogs of known benchmarks, and plans as text. */
final class Fixtures {
  static final FunctionRegistry FUNCTIONS = BuiltinLibraries.registry();
  static final List<String> PATH = List.of("public");

  private Fixtures() {}

  static FixtureCatalog tpcc() {
    return FixtureCatalog.of(
            """
            create table warehouse (w_id int primary key, w_name varchar(10) not null, w_ytd numeric(12,2) not null,
              w_tax numeric(4,4) not null, w_street_1 varchar(20), w_city varchar(20));
            create table district (d_w_id int, d_id int, d_ytd numeric(12,2) not null, d_tax numeric(4,4) not null,
              d_next_o_id int not null, d_name varchar(10), primary key (d_w_id, d_id),
              foreign key (d_w_id) references warehouse);
            create table customer (c_w_id int, c_d_id int, c_id int, c_discount numeric(4,4), c_credit char(2),
              c_last varchar(16) not null, c_first varchar(16) not null, c_balance numeric(12,2) not null,
              c_ytd_payment float, c_payment_cnt int, c_delivery_cnt int, c_since timestamp, c_data varchar(500),
              primary key (c_w_id, c_d_id, c_id), foreign key (c_w_id, c_d_id) references district);
            create index idx_customer_name on customer (c_w_id, c_d_id, c_last, c_first);
            create table history (h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp,
              h_amount numeric(6,2), h_data varchar(24));
            create table oorder (o_w_id int, o_d_id int, o_id int, o_c_id int not null, o_carrier_id int,
              o_ol_cnt int not null, o_all_local int not null, o_entry_d timestamp default current_timestamp,
              primary key (o_w_id, o_d_id, o_id));
            create unique index idx_order on oorder (o_w_id, o_d_id, o_c_id, o_id);
            create table new_order (no_w_id int, no_d_id int, no_o_id int, primary key (no_w_id, no_d_id, no_o_id));
            create table item (i_id int primary key, i_name varchar(24), i_price numeric(5,2), i_data varchar(50));
            create table stock (s_w_id int, s_i_id int, s_quantity int, s_ytd numeric(8,2), s_order_cnt int,
              s_remote_cnt int, s_data varchar(50), s_dist_01 char(24), primary key (s_w_id, s_i_id));
            create table order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int not null,
              ol_delivery_d timestamp, ol_amount numeric(6,2) not null, ol_supply_w_id int not null, ol_quantity int,
              ol_dist_info char(24), primary key (ol_w_id, ol_d_id, ol_o_id, ol_number));
            """)
        .rows("warehouse", 10, 1)
        .rows("district", 100, 2)
        .rows("customer", 300_000, 20_000)
        .rows("history", 300_000, 3_000)
        .rows("oorder", 300_000, 2_500)
        .rows("new_order", 90_000, 400)
        .rows("item", 100_000, 1_200)
        .rows("stock", 1_000_000, 40_000)
        .rows("order_line", 3_000_000, 30_000);
  }

  static FixtureCatalog small() {
    return FixtureCatalog.of(
            """
            create table sbtest1 (id serial primary key, k int not null default 0, c char(120) not null default '',
              pad char(60) not null default '');
            create index k_1 on sbtest1 (k);
            create table t (id int primary key, a int, b text, n numeric(10,2), d date, ts timestamp, f float8,
              flag boolean, big bigint);
            create index t_a on t (a);
            create unique index t_b on t (b);
            create table u (id bigint primary key, t_id int, v varchar(20), w int default 7);
            create index u_t on u (t_id, w desc);
            create table bare (x int, y text);
            create table ident (id bigint generated always as identity primary key, name text not null check (length(name) > 0));
            """)
        .rows("sbtest1", 100_000, 3_000)
        .rows("t", 10_000, 100)
        .rows("u", 50_000, 400)
        .rows("bare", 1_000, 10);
  }

  static PreparedPlan plan(FixtureCatalog catalog, String sql, int... oids) {
    return new Planner(FUNCTIONS, TableEstimates.STATISTICS)
        .plan(PgParser.parse(sql).statement(), oids, PATH, catalog);
  }

  /** The plan's text without costs. */
  static String explain(FixtureCatalog catalog, String sql, int... oids) {
    return String.join("\n", Explain.lines(plan(catalog, sql, oids), false));
  }
}
