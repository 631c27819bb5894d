/**
 * The command line: starts nodes and communicates with them. Begin with {@link
 * io.gauss.server.Main} and {@link io.gauss.server.UpCommand}.
 */
package io.gauss.server;
