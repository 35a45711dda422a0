/** The text/event-stream format. Written by hand because EventSource cannot send an Authorization header. */

const MAX_CHARS = 1024 * 1024;

/** Takes decoded text in pieces of any size; `push` returns the messages completed by the piece. */
export class SseParser {
  #rest = '';
  #started = false;
  #message = blank();
  #size = 0;

  push(text) {
    const messages = [];
    this.#rest += this.#started ? text : text.replace(/^\uFEFF/, '');
    this.#started ||= text.length > 0;
    for (let line = this.#line(); line !== null; line = this.#line()) {
      const message = this.#take(line);
      if (message) messages.push(message);
    }
    if (this.#rest.length + this.#size > MAX_CHARS) throw new RangeError('A server-sent event is too large.');
    return messages;
  }

  #line() {
    const end = this.#rest.search(/[\r\n]/);
    if (end < 0) return null;
    const carriageReturn = this.#rest[end] === '\r';
    // The LF of a CRLF may still be on its way.
    if (carriageReturn && end === this.#rest.length - 1) return null;
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + (carriageReturn && this.#rest[end + 1] === '\n' ? 2 : 1));
    return line;
  }

  #take(line) {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') {
      this.#message.data.push(value);
      this.#size += value.length;
    } else if (field === 'event') {
      this.#message.event = value;
    } else if (field === 'id' && !value.includes('\0')) {
      this.#message.id = value;
    }
    return null;
  }

  #dispatch() {
    const { event, data, id } = this.#message;
    this.#message = blank();
    this.#size = 0;
    return data.length ? { event: event || 'message', data: data.join('\n'), id } : null;
  }
}

function blank() {
  return { event: '', data: [], id: null };
}
