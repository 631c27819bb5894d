/**
 * Run-time settings: their definitions and accepted values, and those of one session, with the
 * values that a rollback restores. Begin with {@link
 * io.gauss.compute.session.setting.SettingDefinitions} and {@link
 * io.gauss.compute.session.setting.SessionSettings}.
 */
package io.gauss.compute.session.setting;
