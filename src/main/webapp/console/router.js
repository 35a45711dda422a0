/** Addresses within the console: `#/rooms?state=open`, `#/room/r-…`. Pure. */

export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/');
  return { view: view || 'alerts', id: decode(id), params: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view; parameters without a value are left out. */
export function format(view, { id, params = {} } = {}) {
  const set = Object.entries(params).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const query = new URLSearchParams(set).toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ''}${query ? `?${query}` : ''}`;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
