/** What is public although nobody asks for it: the test of visibility has to find it. */
package io.gauss.server.architecture.example.open;
