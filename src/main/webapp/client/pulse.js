/**
 * A worker that only ticks. Behind other windows browsers hold a page's own timers back, to once a minute after a
 * while; a worker's they leave alone, and a lease is shorter than a minute.
 */
setInterval(() => postMessage('tick'), 1000);
