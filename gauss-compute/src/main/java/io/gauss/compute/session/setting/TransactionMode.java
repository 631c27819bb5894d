package io.gauss.compute.session.setting;

/**
 * The modes of a transaction. One setting has the current transaction's value, and another the
 * value with which the next one begins: a transaction's own value ends with it, however it was set.
 */
public enum TransactionMode {
  ISOLATION("transaction_isolation", "default_transaction_isolation"),
  READ_ONLY("transaction_read_only", "default_transaction_read_only");

  private final SettingDefinition setting;
  private final SettingDefinition defaultSetting;

  TransactionMode(String setting, String defaultSetting) {
    this.setting = SettingDefinitions.find(setting);
    this.defaultSetting = SettingDefinitions.find(defaultSetting);
  }

  SettingDefinition setting() {
    return setting;
  }

  SettingDefinition defaultSetting() {
    return defaultSetting;
  }

  /** The mode of the current transaction that a setting is; null when it is none. */
  public static TransactionMode of(SettingDefinition setting) {
    return switch (setting.name()) {
      case "transaction_isolation" -> ISOLATION;
      case "transaction_read_only" -> READ_ONLY;
      default -> null;
    };
  }
}
