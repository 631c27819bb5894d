/** Messages about sessions between compute nodes. */
package io.gauss.compute.session.wire;
