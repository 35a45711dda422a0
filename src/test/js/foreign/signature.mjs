// The handshake of a client that has a key: canonical text, signature, address.
import { createHmac, randomBytes } from 'node:crypto';

/** The text that the signature covers. All fields are decoded text; metadata is an object of strings. */
export function canonical({ path, audience, appv, ts, nonce, id, cid, protocol, supersede, capabilities, metadata }) {
  const sorted = {};
  // An object lists keys that are array indices first and by number, whatever the order of their coming.
  for (const key of Object.keys(metadata).sort()) sorted[key] = metadata[key];
  return JSON.stringify({
    version: 2, path, audience, appv, ts, nonce, id, cid, protocol, supersede, capabilities, metadata: sorted,
  });
}

export function sign(secret, text) {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(text, 'utf8').digest('hex');
}

/** The query of a signed handshake; each call makes a new stream id, time and nonce unless they are given. */
export function signedQuery({ client, secret, path = '/stream', audience = path, appv = 'foreign-1', protocol = 4,
  supersede = false, capabilities = '', metadata = {}, ts = Date.now(), nonce = randomBytes(18).toString('hex'),
  id = randomBytes(9).toString('hex') }) {
  const text = canonical({
    path, audience, appv, ts: String(ts), nonce, id, cid: client, protocol: String(protocol),
    supersede: supersede ? '1' : '0', capabilities, metadata,
  });
  const query = new URLSearchParams({ pv: protocol, appv, ts, nonce, aud: audience, id, cid: client });
  if (supersede) query.set('supersede', '1');
  if (capabilities) query.set('cap', capabilities);
  for (const [name, value] of Object.entries(metadata)) query.set(name, value);
  query.set('signature', sign(secret, text));
  return query.toString();
}

export function ticketQuery({ ticket, protocol = 4 }) {
  return new URLSearchParams({ pv: protocol, ticket }).toString();
}
