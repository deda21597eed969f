import type { StreamFrame } from '@panoptes/schema'

/** A request as the handlers of a test see it. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  /** The parsed JSON body; undefined without one. */
  readonly body: unknown
  /** Whether the browser sends it to its end even when the page closes. */
  readonly keepalive: boolean
  /** Aborts when the page cancels the request. */
  readonly signal: AbortSignal
}

/** A `Response`, or a value that is sent as JSON. */
export type Reply = Response | object | string | number | null
export type Handler = (request: FakeRequest) => Reply | Promise<Reply>

/**
 * The server of a component test: request handlers replace `fetch`, and one stream replaces `WebSocket`. A request
 * without a handler is answered with 501 and fails the test.
 *
 * ```ts
 * server.on('GET /api/status', status())
 * server.on('GET /api/sessions/:id', ({ path }) => sessions.get(path))
 * server.fail('GET /api/sources', 500, { detail: 'The store is locked.' })
 * ```
 */
export class FakeServer {
  readonly requests: FakeRequest[] = []
  readonly unhandled: string[] = []
  readonly stream = new FakeStream()
  readonly #routes: { readonly pattern: URLPattern; readonly method: string; readonly handler: Handler }[] =
    []

  /** A later handler for the same route replaces an earlier one. */
  on(route: `${string} /${string}`, reply: Reply | Handler): this {
    const [method = 'GET', pathname = '/'] = route.split(' ')
    const handler: Handler = typeof reply === 'function' ? (reply as Handler) : () => reply
    this.#routes.unshift({ method, pattern: new URLPattern({ pathname }), handler })
    return this
  }

  /** Answers with problem details, as the server does. */
  fail(route: `${string} /${string}`, status: number, problem: object = {}): this {
    return this.on(route, () => Response.json(problem, { status }))
  }

  /** Does not respond at all, as when the process is gone. */
  disconnect(route: `${string} /${string}`): this {
    return this.on(route, () => {
      throw new TypeError('Failed to fetch')
    })
  }

  /** The requests to one route so far, oldest first. */
  requestsTo(route: `${string} /${string}`): readonly FakeRequest[] {
    const [method, pathname = '/'] = route.split(' ')
    const pattern = new URLPattern({ pathname })
    return this.requests.filter((one) => one.method === method && pattern.test({ pathname: one.path }))
  }

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const text = await request.text()
    const seen: FakeRequest = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : parseBody(text),
      keepalive: request.keepalive,
      signal: request.signal,
    }
    this.requests.push(seen)
    const route = this.#routes.find(
      ({ method, pattern }) => method === seen.method && pattern.test({ pathname: seen.path }),
    )
    if (route === undefined) {
      this.unhandled.push(`${seen.method} ${seen.path}`)
      return Response.json({ detail: `No handler for ${seen.method} ${seen.path}` }, { status: 501 })
    }
    const reply = await untilAborted(Promise.resolve(route.handler(seen)), request.signal)
    // A response can be read only once, but a handler may return the same one again.
    return reply instanceof Response ? reply.clone() : Response.json(reply)
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Fakes `WS /stream`: every connection gets the snapshot and then whatever the test sends. */
class FakeStream {
  /** The first frame of a new connection. */
  snapshot: StreamFrame = { type: 'snapshot', seq: 0, alive: [] }
  /** While this is false, every connection attempt fails. */
  isUp = true
  readonly #sockets = new Set<FakeSocket>()
  /** The addresses of all connection attempts, oldest first. */
  readonly attempts: URL[] = []

  readonly WebSocket = ((stream: FakeStream) =>
    class extends FakeSocket {
      constructor(address: string | URL) {
        super(new URL(address, location.href), stream.#sockets)
        stream.attempts.push(this.address)
        queueMicrotask(() => {
          if (!stream.isUp) return this.end(1006)
          this.receive(stream.snapshot)
        })
      }
    })(this)

  send(...frames: readonly StreamFrame[]): void {
    for (const socket of this.#sockets) for (const frame of frames) socket.receive(frame)
  }

  /** Closes every connection; 1012 asks the page to start over. */
  drop(code = 1006): void {
    for (const socket of [...this.#sockets]) socket.end(code)
  }
}

/** The part of a `WebSocket` that the page uses. */
class FakeSocket {
  onmessage: ((message: { readonly data: string }) => void) | null = null
  onclose: ((why: { readonly code: number }) => void) | null = null
  readonly address: URL
  readonly #open: Set<FakeSocket>

  constructor(address: URL, open: Set<FakeSocket>) {
    this.address = address
    this.#open = open
    open.add(this)
  }

  receive(frame: StreamFrame): void {
    if (this.#open.has(this)) this.onmessage?.({ data: JSON.stringify(frame) })
  }

  end(code: number): void {
    if (this.#open.delete(this)) this.onclose?.({ code })
  }

  close(): void {
    this.#open.delete(this)
  }
}
