// One series of the daemon's stream, for as long as it is looked at: connects, resumes, notices dead connections.
import { get, Refused, socketAddress } from './api.js';

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
/** A quiet connection is asked for a sign of life after so long, and given up when none has come after as long again. */
const QUIET = 10_000;
/** Quiet for so long although it is asked for signs of life: the machine slept, and the other side has given up. */
const ASLEEP = 90_000;

export class Stream {
  #topic;
  #count;
  #to;
  #socket = null;
  #closed = false;
  #wait = FIRST_WAIT;
  #retry = null;
  #watch = null;
  #heard = 0;
  #pinged = 0;
  /** Where to go on: the database and the newest version that was worked in. */
  #since = null;
  #subscribed = null;

  /**
   * @param {string} topic
   * @param {number} count closed candles of the snapshot
   * @param {object} to `state(name)`, `snapshot(candles)`, `candle(kind, candle)`, `gap(gap)`, `reload(from)`, `refused()`,
   *   `unknown()` where there is no such series
   */
  constructor(topic, count, to) {
    this.#topic = topic;
    this.#count = count;
    this.#to = to;
    this.wake = this.wake.bind(this);
    addEventListener('online', this.wake);
    addEventListener('pageshow', this.wake);
    document.addEventListener('visibilitychange', this.wake);
    this.#watch = setInterval(() => this.#look(), 1000);
    this.#connect();
  }

  close() {
    this.#closed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#retry);
    removeEventListener('online', this.wake);
    removeEventListener('pageshow', this.wake);
    document.removeEventListener('visibilitychange', this.wake);
    this.#drop();
  }

  /** The machine or the network may have come back. */
  wake() {
    if (this.#closed || document.hidden) return;
    if (!this.#socket) this.#connect();
    else if (Date.now() - this.#heard > ASLEEP) this.#again();
    else if (Date.now() - this.#heard > 2000) this.#ping();
  }

  #connect() {
    clearTimeout(this.#retry);
    this.#to.state('connecting');
    this.#heard = Date.now();
    this.#pinged = 0;
    this.#subscribed = null;
    const socket = new WebSocket(socketAddress());
    this.#socket = socket;
    socket.onopen = () => this.#subscribe();
    socket.onmessage = (event) => {
      this.#heard = Date.now();
      this.#pinged = 0;
      this.#received(JSON.parse(event.data));
    };
    socket.onclose = () => this.#lost();
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #subscribe() {
    const how = this.#since ? { since: this.#since } : { snapshot: this.#count };
    this.#send({ op: 'subscribe', id: 1, topics: [this.#topic], ...how });
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    // The close event of a dead connection may take minutes; nothing of it is wanted any more.
    socket.onmessage = socket.onclose = null;
    // Closed while it connects, the browser complains in the console.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  }

  #lost() {
    const opened = this.#subscribed !== null;
    this.#drop();
    if (this.#closed) return;
    this.#to.state('offline');
    this.#retry = setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    // A browser does not tell why a WebSocket did not open; HTTP does.
    if (!opened) {
      get('/v1/time').catch((error) => {
        if (error instanceof Refused && !this.#closed) this.#to.refused();
      });
    }
  }

  #look() {
    const now = Date.now();
    if (!this.#socket) return;
    if (now - this.#heard > ASLEEP) this.#again();
    else if (this.#pinged && now - this.#pinged > QUIET) this.#lost();
    else if (!this.#pinged && now - this.#heard > QUIET) this.#ping();
  }

  #again() {
    this.#drop();
    this.#connect();
  }

  #ping() {
    this.#pinged ||= Date.now();
    this.#send({ op: 'ping' });
  }

  #received(message) {
    switch (message.type) {
      case 'subscribed':
        this.#subscribed = { epoch: message.epoch, version: message.version };
        this.#wait = FIRST_WAIT;
        this.#to.state('live');
        break;
      case 'snapshot':
        // The snapshot holds everything up to the version of the answer, and maybe more: resuming there repeats, never omits.
        this.#since = this.#subscribed;
        this.#to.snapshot(message.candles);
        break;
      case 'forming':
      case 'closed':
      case 'corrected':
        this.#to.candle(message.type, message.candle);
        this.#reached(message.candle.version);
        break;
      case 'gap':
        this.#to.gap(message);
        this.#reached(message.version);
        break;
      case 'reload':
        this.#to.reload(message.from);
        this.#reached(message.version);
        break;
      case 'error':
        this.#refused(message);
        break;
    }
  }

  #reached(version) {
    if (version && this.#since && version > this.#since.version) this.#since = { ...this.#since, version };
  }

  #refused(message) {
    // Another database, or an older state of this one: what is held means nothing there.
    if (this.#since && (message.code === 'unknown_epoch' || message.code === 'bad_request')) {
      this.#since = null;
      this.#to.snapshot([]);
      this.#subscribe();
      return;
    }
    // A timeframe that the daemon does not have any more.
    if (message.code === 'bad_topic') {
      this.close();
      this.#to.unknown();
      return;
    }
    console.warn(`candled: ${message.code}: ${message.message}`);
    this.#lost();
  }
}
