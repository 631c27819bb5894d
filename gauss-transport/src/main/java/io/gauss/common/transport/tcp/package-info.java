/**
 * The transport over TCP, by Netty: epoll where present, NIO otherwise; TLS if wanted. {@link
 * io.gauss.common.transport.tcp.TcpWire} is one connection, {@link
 * io.gauss.common.transport.tcp.FrameReader} creates messages from bytes.
 */
package io.gauss.common.transport.tcp;
