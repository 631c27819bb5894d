/** Messages about notifications between compute nodes. */
package io.gauss.compute.notify.wire;
