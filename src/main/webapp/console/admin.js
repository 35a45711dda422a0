import { Api } from '../huddle.js';

/** The operators' part of the REST contract, one method a call, over the browser's client. */
export class Admin {
  #api;

  constructor(token) {
    this.#api = new Api({ token });
    this.clock = this.#api.clock;
  }

  /** Resolves to `{ overview, etag }`, with `overview` null where nothing has changed. */
  async overview(etag, options) {
    const headers = etag ? { 'If-None-Match': etag } : {};
    const reply = await this.#api.request('GET', '/admin/overview', { ...options, headers });
    return { overview: reply.body, etag: reply.headers.get('ETag') ?? etag };
  }

  alerts = (query, options) => this.#get('/admin/alerts', query, options);
  rooms = (query, options) => this.#get('/admin/rooms', query, options);
  room = (room, query, options) => this.#get(`/admin/rooms/${encodeURIComponent(room)}`, query, options);
  sessions = (query, options) => this.#get('/admin/sessions', query, options);
  nodes = (query, options) => this.#get('/admin/nodes', query, options);
  orphans = (query, options) => this.#get('/admin/orphans', query, options);
  stages = (query, options) => this.#get('/admin/stages', query, options);
  mismatches = (query, options) => this.#get('/admin/mismatches', query, options);
  audit = (query, options) => this.#get('/admin/audit', query, options);
  config = (query, options) => this.#get('/admin/config', query, options);
  series = (query, options) => this.#get('/admin/series', query, options);

  closeRoom = (room, reason) => this.#act('POST', `/rooms/${encodeURIComponent(room)}/close`, reason);
  drain = (node, reason) => this.#act('POST', `/admin/nodes/${encodeURIComponent(node)}/drain`, reason);
  retryOrphan = (chunk, reason) => this.#act('POST', `/admin/orphans/${encodeURIComponent(chunk)}/retry`, reason);
  changeStage = (scope, stage, reason) =>
    this.#act('PUT', `/admin/stages/${encodeURIComponent(scope)}`, reason, { stage });

  /** The team has no stage of its own any more. */
  takeBackStage = (scope, reason) => this.#act('DELETE', `/admin/stages/${encodeURIComponent(scope)}`, reason);

  /** Ends exactly this generation; one that has joined since stays. */
  remove = (session, generation, reason) =>
    this.#act('POST', `/admin/sessions/${encodeURIComponent(session)}/remove`, reason, { generation });

  /** What `listen` needs to follow a room. */
  openEvents(room, lastId, signal) {
    return this.#api.openEvents(room, lastId, signal);
  }

  async #get(path, query = {}, options = {}) {
    const set = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
    const target = set.length ? `${path}?${new URLSearchParams(set)}` : path;
    return (await this.#api.request('GET', target, options)).body;
  }

  async #act(method, path, reason, body) {
    return (await this.#api.request(method, path, { body, headers: { 'Huddle-Reason': asHeader(reason) } })).body;
  }
}

/** Headers carry bytes: what is not Latin goes as its UTF-8, which the server reads. */
export function asHeader(words) {
  return String.fromCharCode(...new TextEncoder().encode(words.trim().replaceAll(/\s+/g, ' ')));
}
