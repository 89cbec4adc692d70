// callResults: makes many calls over one stream of gRPC, in order, and opens the stream again when its connection is lost.
import * as grpc from '@grpc/grpc-js';
import { badResponse, SignetError } from './errors.js';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1000;

/**
 * Yields `{ response }` or `{ error }` for each call, in the order of the calls. `open` opens a stream, and `toRequest` makes the
 * message of a call. Calls without a response are sent again over a new stream, for at most `timeout` milliseconds after the last
 * response. Throws the error that ends the stream. When the consumer stops, the calls in flight are canceled.
 */
export async function* callResults({ calls, open, toRequest, toError, maxInFlight, timeout, signal }) {
  const source = calls[Symbol.asyncIterator]?.() ?? calls[Symbol.iterator]();
  const requests = new Map();  // by id; without a response
  const arrived = new Map();   // responses that were not yielded
  let stream;
  let ended;  // the error that ended the stream
  let sent = 0;
  let next = 0;
  let lastResponse = Date.now();
  let pause = FIRST_PAUSE;  // before the stream is opened again
  let reading;  // the promise of the next call of the source
  let isAtEnd = false;
  let wake = () => {};

  const connect = async () => {
    ended = undefined;
    const opened = stream = await open();
    const end = (error) => {
      if (opened === stream) ended ??= error;
      wake();
    };
    opened.on('data', (message) => {
      // A server that is stopping rejects calls of a stream, too.
      if (message.error?.code === grpc.status.UNAVAILABLE) return end({ ...message.error, details: message.error.message });
      if (opened !== stream) return undefined;
      const id = Number(message.id ?? 0);
      if (!requests.has(id)) {
        end(badResponse(`expected an answer of a call in flight, found one of call ${id}`));
        return opened.cancel();
      }
      arrived.set(id, message);
      requests.delete(id);
      lastResponse = Date.now();
      pause = FIRST_PAUSE;
      return wake();
    });
    opened.on('error', end);
    opened.on('end', () => end({ code: grpc.status.UNAVAILABLE, details: 'the server ended the stream' }));
    for (const [id, call] of requests) opened.write({ id, call });
  };
  const reconnect = async (cause) => {
    if (cause instanceof SignetError) throw cause;
    const isLost = cause.code === grpc.status.UNAVAILABLE && Date.now() - lastResponse < timeout;
    if (!isLost || signal?.aborted) throw toError(cause);
    const lost = stream;
    stream = undefined;
    lost.cancel();
    await new Promise((resolve) => { setTimeout(resolve, pause); });
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    await connect();
  };
  const cancel = () => {
    stream?.cancel();
    wake();
  };
  signal?.addEventListener('abort', cancel, { once: true });
  let read;  // what the source returned, or the error that it threw
  try {
    for (;;) {
      const woken = new Promise((resolve) => { wake = resolve; });
      if (signal?.aborted) throw toError({ code: grpc.status.CANCELLED });
      if (arrived.has(next)) {
        const { response, error } = arrived.get(next);
        arrived.delete(next);
        next += 1;
        yield error ? { error } : { response };
        continue;
      }
      if (read) {
        const { value, done, error } = read;
        read = reading = undefined;
        if (error) throw error;
        if (done) {
          isAtEnd = true;
          continue;
        }
        const call = toRequest(value);
        if (!stream) await connect();
        if (sent === next) lastResponse = Date.now();
        requests.set(sent, call);
        stream.write({ id: sent, call });
        sent += 1;
        continue;
      }
      if (ended) {
        await reconnect(ended);
        continue;
      }
      if (isAtEnd && sent === next) return;
      if (!isAtEnd && !reading && sent - next < maxInFlight) {
        reading = Promise.resolve(source.next()).then(
          (result) => { read = result; }, (error) => { read = { error }; }).then(() => wake());
      }
      let timer;
      // Responses that have arrived while the program was busy come before the timeout.
      if (sent > next) timer = setTimeout(() => setImmediate(() => wake()), Math.max(lastResponse + timeout - Date.now(), 0) + 1);
      await woken;
      clearTimeout(timer);
      if (sent > next && !arrived.has(next) && Date.now() - lastResponse > timeout && !ended) {
        throw toError({ code: grpc.status.DEADLINE_EXCEEDED });
      }
    }
  } catch (error) {
    throw typeof error.code === 'number' ? toError(error) : error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    const last = stream;
    stream = undefined;
    last?.on('error', () => {});
    last?.cancel();
    await source.return?.();
  }
}
