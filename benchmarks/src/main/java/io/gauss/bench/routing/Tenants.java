package io.gauss.bench.routing;

import io.gauss.bench.routing.RoutedWorkload.UnitHint;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An application with tenants, whose rows all begin with the tenant's number: a transaction reads
 * the tenant, changes two of its accounts and inserts an entry. Units are tenants.
 */
public final class Tenants extends OwnTables {
  private static final String TENANT = "SELECT name FROM tenant WHERE id = ?";
  private static final String READ = "SELECT balance FROM account WHERE tenant = ? AND id = ?";
  private static final String CHANGE =
      "UPDATE account SET balance = balance + ? WHERE tenant = ? AND id = ?";
  private static final String ENTRY =
      "INSERT INTO entry (tenant, id, account, amount) VALUES (?, ?, ?, ?)";
  private static final int HOT_PERCENT = 50;
  private static final int MOST_AMOUNT = 100;

  private final int tenants;
  private final int accounts;
  private final boolean hasHotOne;

  /**
   * @param accounts of all tenants, a multiple of {@code tenants}
   * @param hasHotOne whether one of them has half of the load
   */
  public Tenants(int tenants, int accounts, boolean hasHotOne) {
    super(
        List.of(
            new FilledTable(
                "tenant",
                "id int PRIMARY KEY, name varchar(40) NOT NULL",
                tenants,
                2,
                i -> new Object[] {i, "tenant " + i}),
            new FilledTable(
                "account",
                "tenant int, id int, balance int NOT NULL, note varchar(40),"
                    + " PRIMARY KEY (tenant, id)",
                accounts,
                4,
                i -> {
                  int each = accounts / tenants;
                  return new Object[] {i / each, i % each, 0, "account of tenant " + i / each};
                }),
            new FilledTable(
                "entry",
                "tenant int, id bigint, account int NOT NULL, amount int NOT NULL,"
                    + " PRIMARY KEY (tenant, id)",
                accounts,
                4,
                i -> {
                  int each = accounts / tenants;
                  return new Object[] {i / each, (long) (i % each), i % each, 0};
                })),
        true);
    if (accounts % tenants != 0) {
      throw new IllegalArgumentException(accounts + " accounts for " + tenants + " tenants");
    }
    this.tenants = tenants;
    this.accounts = accounts;
    this.hasHotOne = hasHotOne;
  }

  @Override
  public String name() {
    return hasHotOne ? "hot-tenant" : "tenants-" + tenants;
  }

  @Override
  public int units() {
    return tenants;
  }

  @Override
  public String keyColumn() {
    return "account.tenant";
  }

  /** The tenant of the next transaction. */
  int nextTenant(SplittableRandom random) {
    return hasHotOne && random.nextInt(100) < HOT_PERCENT ? 0 : random.nextInt(tenants);
  }

  @Override
  SimpleTerminal.Transaction transactions(int terminal) {
    return this::transfer;
  }

  private void transfer(ClientStatements statements, SplittableRandom random, UnitHint hint)
      throws SQLException {
    int tenant = nextTenant(random);
    int from = random.nextInt(accounts / tenants);
    int to = random.nextInt(accounts / tenants);
    int amount = random.nextInt(MOST_AMOUNT);
    hint.begins(tenant, tenant);
    statements.read(TENANT, tenant);
    statements.read(READ, tenant, from);
    statements.update(CHANGE, -amount, tenant, Math.min(from, to));
    statements.update(CHANGE, amount, tenant, Math.max(from, to));
    // As a time with many digits: later ones are higher, and no two are the same.
    long id = System.currentTimeMillis() << 20 | random.nextInt(1 << 20);
    statements.update(ENTRY, tenant, id, from, amount);
  }
}
