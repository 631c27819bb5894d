/**
 * All settings of nodes in one table, with types, defaults and descriptions. Begin with {@link
 * io.gauss.common.config.NodeSettingTable}.
 */
package io.gauss.common.config;
