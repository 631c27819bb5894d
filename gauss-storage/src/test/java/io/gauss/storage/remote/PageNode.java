package io.gauss.storage.remote;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.gauss.storage.local.pages.TestApply;
import io.gauss.storage.node.PageService;
import io.gauss.storage.node.PagesProgressService;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A storage node that only keeps and serves pages, and gets its redo from the test. */
final class PageNode implements AutoCloseable {
  final NodeAddress address;
  final LocalPageStore store;
  private final Transport transport;
  private final PagesProgressService progress;
  private boolean closed;

  PageNode(LocalNetwork network, int node, Path directory) {
    store = LocalPageStore.open(directory, PageStoreSettings.defaults().withApply(new TestApply()));
    transport = network.transport(TestNodes.config(node, NodeRole.STORAGE));
    Handlers handlers = new Handlers();
    new PageService(store, transport.allocator()).register(handlers);
    progress = new PagesProgressService(store, stream -> 0, transport.allocator());
    progress.register(handlers);
    address = transport.listen(new NodeAddress("local", 0), handlers);
  }

  void apply(long offset, ByteBuffer mtrs) {
    store.apply(1, offset, mtrs.duplicate().order(mtrs.order()));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      progress.close();
      transport.close();
      store.close();
    }
  }
}
