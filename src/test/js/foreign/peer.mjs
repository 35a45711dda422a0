// The server's side of RFC 6455 for the tests: just enough to show a client what a server may do.
import { createHash } from 'node:crypto';
import http from 'node:http';

/** A frame as a server sends it: not masked. */
export function serverFrame(opcode, payload, { final = true } = {}) {
  const size = payload.length;
  const head = size < 126 ? Buffer.from([0, size]) : size < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  if (head.length === 4) { head[1] = 126; head.writeUInt16BE(size, 2); }
  if (head.length === 10) { head[1] = 127; head.writeUInt32BE(size, 6); }
  head[0] = (final ? 128 : 0) | opcode;
  return Buffer.concat([head, payload]);
}

export function closeFrame(code, reason = '') {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return serverFrame(8, payload);
}

/** Reads a client's frames: {opcode, payload}. */
function* unmasked(state, chunk) {
  state.bytes = Buffer.concat([state.bytes, chunk]);
  for (;;) {
    const bytes = state.bytes;
    if (bytes.length < 6) return;
    if ((bytes[1] & 128) === 0) throw new Error('the client did not mask');
    const short = bytes[1] & 127;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < header + 4) return;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : bytes.readUInt32BE(6);
    if (bytes.length < header + 4 + length) return;
    const mask = bytes.subarray(header, header + 4);
    const payload = Buffer.from(bytes.subarray(header + 4, header + 4 + length)).map((byte, i) => byte ^ mask[i & 3]);
    state.bytes = bytes.subarray(header + 4 + length);
    yield { opcode: bytes[0] & 15, payload };
  }
}

/**
 * Listens on a free port of loopback for one test.
 *
 * @param onFrame(frame, socket) for each frame of the client
 * @param onOpen(socket) after the upgrade
 * @param refusal {status, headers, body} to refuse every upgrade
 */
export async function peer(t, { onOpen = () => {}, onFrame = () => {}, refusal, early = Buffer.alloc(0) }) {
  const server = http.createServer((request, response) => {
    response.writeHead(refusal.status, refusal.headers).end(refusal.body);
  });
  const sockets = new Set();
  if (!refusal) {
    server.on('upgrade', (request, socket) => {
      sockets.add(socket);
      const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
      const protocol = request.headers['sec-websocket-protocol'];
      const answer = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`
        + (protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : '') + '\r\n';
      socket.write(Buffer.concat([Buffer.from(answer), early]));
      const state = { bytes: Buffer.alloc(0) };
      socket.on('data', (chunk) => { for (const one of unmasked(state, chunk)) onFrame(one, socket); });
      socket.on('error', () => {});
      onOpen(socket);
    });
  }
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  return `ws://127.0.0.1:${server.address().port}/stream`;
}
