package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * SmallBank (Alomari and others, ICDE 2008) as BenchBase has it: its tables, statements and
 * weights, customers drawn evenly. Two of its six transactions concern two unrelated customers, so
 * that no placement makes them local. Units are customers with neighbouring numbers.
 */
public final class SmallBank implements RoutedWorkload {
  static final List<String> KINDS =
      List.of(
          "amalgamate",
          "balance",
          "deposit_checking",
          "send_payment",
          "transact_savings",
          "write_check");

  /** BenchBase's weights in percent, in the order of {@link #KINDS}. */
  private static final int[] WEIGHTS = {15, 15, 15, 25, 15, 15};

  private static final int UNIT_CUSTOMERS = 500;
  private static final int PART_CUSTOMERS = 10_000;
  private static final int BATCH = 500;
  private static final int MIN_BALANCE = 10_000;
  private static final int MAX_BALANCE = 50_000;

  private final int customers;

  /**
   * @param customers at least two
   */
  public SmallBank(int customers) {
    this.customers = customers;
  }

  @Override
  public String name() {
    return "smallbank";
  }

  @Override
  public List<String> kinds() {
    return KINDS;
  }

  @Override
  public int units() {
    return (customers + UNIT_CUSTOMERS - 1) / UNIT_CUSTOMERS;
  }

  @Override
  public String keyColumn() {
    return "checking.custid";
  }

  static int nextKind(SplittableRandom random) {
    int dice = random.nextInt(100);
    int kind = 0;
    while (dice >= WEIGHTS[kind]) {
      dice -= WEIGHTS[kind++];
    }
    return kind;
  }

  static String customerName(int customer) {
    return "%064d".formatted(customer);
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : List.of("checking", "savings", "accounts")) {
        statement.execute("DROP TABLE IF EXISTS " + table);
      }
      statement.execute(
          "CREATE TABLE accounts (custid bigint NOT NULL, name varchar(64) NOT NULL,"
              + " CONSTRAINT pk_accounts PRIMARY KEY (custid))");
      statement.execute("CREATE INDEX idx_accounts_name ON accounts (name)");
      for (String table : List.of("savings", "checking")) {
        statement.execute(
            "CREATE TABLE %1$s (custid bigint NOT NULL, bal float NOT NULL, CONSTRAINT pk_%1$s"
                    .formatted(table)
                + " PRIMARY KEY (custid), FOREIGN KEY (custid) REFERENCES accounts (custid))");
      }
    }
  }

  @Override
  public int loadParts() {
    return (customers + PART_CUSTOMERS - 1) / PART_CUSTOMERS;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    try (PreparedStatement account =
            connection.prepareStatement("INSERT INTO accounts VALUES (?, ?)");
        PreparedStatement savings =
            connection.prepareStatement("INSERT INTO savings VALUES (?, ?)");
        PreparedStatement checking =
            connection.prepareStatement("INSERT INTO checking VALUES (?, ?)")) {
      int end = Math.min(customers, (part + 1) * PART_CUSTOMERS);
      for (int customer = part * PART_CUSTOMERS; customer < end; customer++) {
        account.setLong(1, customer);
        account.setString(2, customerName(customer));
        account.addBatch();
        for (PreparedStatement balance : List.of(savings, checking)) {
          balance.setLong(1, customer);
          balance.setDouble(2, random.nextInt(MIN_BALANCE, MAX_BALANCE));
          balance.addBatch();
        }
        if ((customer + 1) % BATCH == 0 || customer == end - 1) {
          account.executeBatch();
          savings.executeBatch();
          checking.executeBatch();
          connection.commit();
        }
      }
    }
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE");
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM checking")) {
      return rows.next() && rows.getInt(1) == customers;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT count(*) FROM accounts JOIN savings USING (custid)"
                    + " JOIN checking USING (custid)")) {
      rows.next();
      return rows.getInt(1) == customers
          ? List.of()
          : List.of("customers with all accounts: " + rows.getInt(1) + " of " + customers);
    }
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    connection.setAutoCommit(false);
    return new BankTerminal(connection, random, hint);
  }

  private final class BankTerminal implements Terminal {
    private static final double DEPOSIT = 1.3;
    private static final double PAYMENT = 5;
    private static final double SAVING = 20.2;
    private static final double CHECK = 5;

    private final Connection connection;
    private final SplittableRandom random;
    private final UnitHint hint;
    private final PreparedStatement accountByName;
    private final PreparedStatement account;
    private final PreparedStatement savings;
    private final PreparedStatement checking;
    private final PreparedStatement takeSavings;
    private final PreparedStatement giveChecking;
    private final PreparedStatement takeChecking;
    private final PreparedStatement zeroChecking;
    private int kind;

    BankTerminal(Connection connection, SplittableRandom random, UnitHint hint)
        throws SQLException {
      this.connection = connection;
      this.random = random;
      this.hint = hint;
      accountByName = connection.prepareStatement("SELECT * FROM accounts WHERE name = ?");
      account = connection.prepareStatement("SELECT * FROM accounts WHERE custid = ?");
      savings = connection.prepareStatement("SELECT bal FROM savings WHERE custid = ?");
      checking = connection.prepareStatement("SELECT bal FROM checking WHERE custid = ?");
      takeSavings =
          connection.prepareStatement("UPDATE savings SET bal = bal - ? WHERE custid = ?");
      giveChecking =
          connection.prepareStatement("UPDATE checking SET bal = bal + ? WHERE custid = ?");
      takeChecking =
          connection.prepareStatement("UPDATE checking SET bal = bal - ? WHERE custid = ?");
      zeroChecking = connection.prepareStatement("UPDATE checking SET bal = 0.0 WHERE custid = ?");
    }

    @Override
    public int currentKind() {
      return kind;
    }

    @Override
    public int runOne() throws SQLException {
      kind = nextKind(random);
      int first = random.nextInt(customers);
      int second = (first + 1 + random.nextInt(customers - 1)) % customers;
      hint.begins(first / UNIT_CUSTOMERS, first);
      boolean isDone =
          switch (kind) {
            case 0 -> amalgamate(first, second);
            case 1 -> balance(first);
            case 2 -> deposit(first);
            case 3 -> sendPayment(first, second);
            case 4 -> transactSavings(first);
            default -> writeCheck(first);
          };
      // Accounts without money are part of the workload.
      if (isDone) {
        connection.commit();
      } else {
        connection.rollback();
      }
      return kind;
    }

    private boolean amalgamate(long from, long to) throws SQLException {
      read(account, from);
      read(account, to);
      double total = balance(savings, from) + balance(checking, to);
      zeroChecking.setLong(1, from);
      zeroChecking.executeUpdate();
      update(takeSavings, total, to);
      return true;
    }

    private boolean balance(int customer) throws SQLException {
      long id = idByName(customer);
      balance(savings, id);
      balance(checking, id);
      return true;
    }

    private boolean deposit(int customer) throws SQLException {
      update(giveChecking, DEPOSIT, idByName(customer));
      return true;
    }

    private boolean sendPayment(long from, long to) throws SQLException {
      read(account, from);
      read(account, to);
      if (balance(checking, from) < PAYMENT) {
        return false;
      }
      update(giveChecking, -PAYMENT, from);
      update(giveChecking, PAYMENT, to);
      return true;
    }

    private boolean transactSavings(int customer) throws SQLException {
      long id = idByName(customer);
      if (balance(savings, id) < SAVING) {
        return false;
      }
      update(takeSavings, SAVING, id);
      return true;
    }

    private boolean writeCheck(int customer) throws SQLException {
      long id = idByName(customer);
      double total = balance(savings, id) + balance(checking, id);
      update(takeChecking, total < CHECK ? CHECK - 1 : CHECK, id);
      return true;
    }

    private long idByName(int customer) throws SQLException {
      accountByName.setString(1, customerName(customer));
      try (ResultSet rows = accountByName.executeQuery()) {
        need(rows, customer);
        return rows.getLong(1);
      }
    }

    private void read(PreparedStatement select, long customer) throws SQLException {
      select.setLong(1, customer);
      try (ResultSet rows = select.executeQuery()) {
        need(rows, customer);
      }
    }

    private double balance(PreparedStatement select, long customer) throws SQLException {
      select.setLong(1, customer);
      try (ResultSet rows = select.executeQuery()) {
        need(rows, customer);
        return rows.getDouble(1);
      }
    }

    private static void update(PreparedStatement update, double amount, long customer)
        throws SQLException {
      update.setDouble(1, amount);
      update.setLong(2, customer);
      update.executeUpdate();
    }

    private static void need(ResultSet rows, long customer) throws SQLException {
      if (!rows.next()) {
        throw new SQLException("no row: customer " + customer, "02000");
      }
    }
  }
}
