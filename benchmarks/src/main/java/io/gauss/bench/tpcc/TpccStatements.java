package io.gauss.bench.tpcc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The statements of the five transactions, prepared on one connection. */
final class TpccStatements {
  final PreparedStatement customerForOrder;
  final PreparedStatement warehouseTax;
  final PreparedStatement districtForUpdate;
  final PreparedStatement nextOrder;
  final PreparedStatement insertOrder;
  final PreparedStatement insertNewOrder;
  final PreparedStatement item;
  final PreparedStatement stockForUpdate;
  final PreparedStatement updateStock;
  final PreparedStatement insertOrderLine;
  final PreparedStatement payWarehouse;
  final PreparedStatement warehouse;
  final PreparedStatement payDistrict;
  final PreparedStatement district;
  final PreparedStatement customersByName;
  final PreparedStatement customerForPayment;
  final PreparedStatement payCustomer;
  final PreparedStatement customerData;
  final PreparedStatement payCustomerWithData;
  final PreparedStatement insertHistory;
  final PreparedStatement customerBalance;
  final PreparedStatement newestOrder;
  final PreparedStatement orderLines;
  final PreparedStatement oldestNewOrder;
  final PreparedStatement deleteNewOrder;
  final PreparedStatement orderCustomer;
  final PreparedStatement setCarrier;
  final PreparedStatement deliverLines;
  final PreparedStatement orderTotal;
  final PreparedStatement deliverCustomer;
  final PreparedStatement districtNextOrder;
  final PreparedStatement lowStock;

  TpccStatements(Connection c) throws SQLException {
    customerForOrder =
        c.prepareStatement(
            "SELECT c_discount, c_last, c_credit FROM customer"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
    warehouseTax = c.prepareStatement("SELECT w_tax FROM warehouse WHERE w_id = ?");
    districtForUpdate =
        c.prepareStatement(
            "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE");
    nextOrder =
        c.prepareStatement(
            "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?");
    insertOrder =
        c.prepareStatement(
            "INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?)");
    insertNewOrder =
        c.prepareStatement("INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)");
    item = c.prepareStatement("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?");
    stockForUpdate =
        c.prepareStatement(
            "SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05,"
                + " s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10 FROM stock"
                + " WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE");
    updateStock =
        c.prepareStatement(
            "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
                + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?");
    insertOrderLine =
        c.prepareStatement(
            "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,"
                + " ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    payWarehouse = c.prepareStatement("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?");
    warehouse =
        c.prepareStatement(
            "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse"
                + " WHERE w_id = ?");
    payDistrict =
        c.prepareStatement("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?");
    district =
        c.prepareStatement(
            "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district"
                + " WHERE d_w_id = ? AND d_id = ?");
    customersByName =
        c.prepareStatement(
            "SELECT c_id, c_first FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?"
                + " ORDER BY c_first");
    customerForPayment =
        c.prepareStatement(
            "SELECT c_credit, c_balance, c_first, c_middle, c_last, c_street_1, c_street_2, c_city,"
                + " c_state, c_zip, c_phone, c_credit_lim, c_discount, c_since FROM customer"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE");
    payCustomer =
        c.prepareStatement(
            "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?,"
                + " c_payment_cnt = c_payment_cnt + 1"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
    customerData =
        c.prepareStatement(
            "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
    payCustomerWithData =
        c.prepareStatement(
            "UPDATE customer SET c_balance = ?, c_ytd_payment = c_ytd_payment + ?,"
                + " c_payment_cnt = c_payment_cnt + 1, c_data = ?"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
    insertHistory =
        c.prepareStatement(
            "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount,"
                + " h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    customerBalance =
        c.prepareStatement(
            "SELECT c_balance, c_first, c_middle, c_last FROM customer"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
    newestOrder =
        c.prepareStatement(
            "SELECT o_id, o_carrier_id, o_entry_d FROM oorder"
                + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1");
    orderLines =
        c.prepareStatement(
            "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d"
                + " FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?");
    oldestNewOrder =
        c.prepareStatement(
            "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ?"
                + " ORDER BY no_o_id ASC LIMIT 1");
    deleteNewOrder =
        c.prepareStatement(
            "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?");
    orderCustomer =
        c.prepareStatement(
            "SELECT o_c_id FROM oorder WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?");
    setCarrier =
        c.prepareStatement(
            "UPDATE oorder SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?");
    deliverLines =
        c.prepareStatement(
            "UPDATE order_line SET ol_delivery_d = ?"
                + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?");
    orderTotal =
        c.prepareStatement(
            "SELECT sum(ol_amount) FROM order_line"
                + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?");
    deliverCustomer =
        c.prepareStatement(
            "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1"
                + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
    districtNextOrder =
        c.prepareStatement("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?");
    lowStock =
        c.prepareStatement(
            "SELECT count(DISTINCT s_i_id) FROM order_line, stock"
                + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ?"
                + " AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?");
  }
}
