/**
 * Run-time settings: which there are, what values they take, and those of one session, with what a
 * rollback restores. Begin with {@link io.gauss.compute.session.setting.SettingDefinitions} and
 * {@link io.gauss.compute.session.setting.SessionSettings}.
 */
package io.gauss.compute.session.setting;
