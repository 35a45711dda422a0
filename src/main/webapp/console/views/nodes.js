import { announce } from '../../page/dom.js';
import { badge, button, code, h, since } from '../elements.js';
import { pagedView } from '../paged.js';
import { askReason } from '../reason.js';
import { plural } from '../words.js';

/** The nodes of the mesh, and sending a node's clients elsewhere. */
export function nodesView(context) {
  const view = pagedView(context, {
    id: 'nodes',
    title: 'Nodes',
    lead: 'Who is in the mesh. A node whose lease runs out is dead to the others, and its clients are told of as orphans.',
    what: 'the nodes',
    keyOf: (node) => node.node,
    rowState: (node) => node.state,
    columns: [
      { head: 'Node', cell: (node) => [node.name, h('span', { class: 'under' }, code(node.node))] },
      { head: 'State', cell: (node) => [badge(node.state), node.drained && badge('drained')] },
      { head: 'Streams', class: 'number', cell: (node) => String(node.streams) },
      { head: 'Mesh lease', class: 'number', cell: (node) => leaseWords(node.leaseRemainingMs) },
      { head: 'Version', cell: (node) => node.version ?? 'unknown' },
      { head: 'Address', cell: (node) => node.address ?? 'no link' },
      { head: 'Since', cell: (node) => since(node.since) },
      {
        head: 'Action',
        cell: (node) =>
          ['draining', 'stopped', 'failed'].includes(node.state)
            ? '–'
            : button('Drain…', () => drain(node), { class: 'danger small', 'aria-label': `Drain ${node.name}…` }),
      },
    ],
    load: (query, options) => context.admin.nodes(query, options),
    empty: 'No node is in the mesh.',
    everyMs: 2000,
  });

  async function drain(node) {
    const done = await askReason({
      title: `Drain ${node.name}?`,
      explanation: `Node ${node.node} takes no new clients and sends its ${plural(node.streams, 'client')} away, a few at a time. Sessions stay: clients connect to other nodes.`,
      confirm: 'Drain this node',
      act: (reason) => context.admin.drain(node.node, reason),
    });
    if (!done) return;
    announce(`${node.name} drains.`);
    view.refresh();
  }
  return view;
}

function leaseWords(ms) {
  return ms === undefined ? 'unknown' : `${(ms / 1000).toFixed(1)} s left`;
}
