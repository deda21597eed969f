import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Paths, resolvePaths, tokenFile } from '@panoptes/engine/home'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { config, type Result, type TokenScope } from '@panoptes/schema'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import type { RunningServer, ServerOptions } from './options.ts'
import { start } from './start.ts'
import { STREAM_LIMITS, type StreamLimits } from './stream/stream.ts'

export interface TestServer {
  readonly server: RunningServer
  readonly options: ServerOptions
  readonly store: EventStore
  readonly paths: Paths
  readonly address: string
  readonly logged: () => string
  readonly token: (scope: TokenScope) => Promise<string>
  /** Sends a request with the full token, unless the headers say otherwise. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly post: (...events: unknown[]) => Promise<Response>
  readonly stream: (query?: string, options?: { readonly protocols?: string[] }) => Promise<StreamReader>
  readonly stop: () => Promise<void>
}

interface Setting {
  readonly options?: Partial<ServerOptions>
  readonly config?: unknown
  readonly limits?: Partial<StreamLimits>
  /** Prepares the store before the server starts. */
  readonly before?: (store: EventStore) => Promise<void>
  /** Wraps the store, so that a test can change some of its methods. */
  readonly wrap?: (store: EventStore) => EventStore
}

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

export async function startTestServer(setting: Setting = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-server-'))
  const paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  const lines: string[] = []
  const real = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  await setting.before?.(real)
  const store = setting.wrap?.(real) ?? real
  const options: ServerOptions = {
    store,
    paths,
    config: config.parse(setting.config ?? {}),
    version: '1.2.3',
    host: '127.0.0.1',
    port: 0,
    page: null,
    log: pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }),
    discover: async () => [],
    diagnose: async () => [],
    ...setting.options,
  }
  const remove = async () => {
    await real.close()
    await rm(folder, { recursive: true, force: true })
  }
  const started = await start(options, { ...STREAM_LIMITS, ...setting.limits })
  if (!started.ok) await remove()
  const server = unwrap(started)
  const token = async (scope: TokenScope) => (await readFile(tokenFile(paths, scope), 'utf8')).trim()
  const request: TestServer['request'] = async (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${await token('full')}`)
    return fetch(`${server.address}${path}`, { ...init, headers, redirect: 'manual' })
  }
  return {
    server,
    options,
    store,
    paths,
    address: server.address,
    logged: () => lines.join(''),
    token,
    request,
    post: (...events) =>
      request('/events', { method: 'POST', body: events.map((event) => JSON.stringify(event)).join('\n') }),
    stream: async (query = '', { protocols } = {}) =>
      openStream(
        `${server.address.replace('http', 'ws')}/stream${query}`,
        protocols ?? ['bearer', await token('full')],
      ),
    stop: async () => {
      await server.close()
      await remove()
    },
  }
}

interface Frame {
  readonly type: string
  readonly seq?: number
  readonly alive?: { readonly id: string }[]
  readonly data?: unknown
  readonly gone?: unknown
  readonly from?: number
  readonly to?: number
}

/** A client of the stream that collects its frames. */
export interface StreamReader {
  readonly ws: WebSocket
  readonly frames: readonly Frame[]
  /** The seq of every event so far, single or in batches. */
  readonly seqs: () => number[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Resolves as soon as the collected frames match. */
  readonly until: (wanted: (frames: readonly Frame[]) => boolean) => Promise<void>
  /** Resolves as soon as the event with this seq has arrived. */
  readonly reached: (seq: number) => Promise<void>
}

export async function openStream(
  url: string,
  protocols: string[],
  headers: Record<string, string> = {},
): Promise<StreamReader> {
  const ws = new WebSocket(url, protocols, { headers })
  const frames: Frame[] = []
  const waiting = new Set<() => void>()
  let last = 0
  ws.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame
    frames.push(frame)
    last = seqsOf(frame).at(-1) ?? last
    for (const look of [...waiting]) look()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  // Only a client that has its snapshot gets everything after it.
  await new Promise<void>((resolve, reject) => {
    ws.once('message', () => resolve())
    ws.once('close', () => resolve())
    ws.once('unexpected-response', (_request, answer) => reject(new Error(`answered ${answer.statusCode}`)))
    ws.once('error', reject)
  })
  ws.on('error', () => undefined)
  const until: StreamReader['until'] = (wanted) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const limit = setTimeout(() => {
      waiting.delete(look)
      const seen = `${frames.length} frames, the last ${JSON.stringify(frames.at(-1))?.slice(0, 200)}`
      reject(new Error(`not as wanted within 30 s: ${seen}`))
    }, 30_000)
    const look = () => {
      if (!wanted(frames)) return
      clearTimeout(limit)
      waiting.delete(look)
      resolve()
    }
    waiting.add(look)
    look()
    return promise
  }
  return {
    ws,
    frames,
    closed,
    seqs: () => frames.flatMap(seqsOf),
    until,
    reached: (seq) => until(() => last >= seq),
  }
}

export function seqsOf(frame: Frame): number[] {
  if (frame.type === 'event') return [(frame.data as { seq: number }).seq]
  return frame.type === 'batch' ? (frame.data as { seq: number }[]).map((event) => event.seq) : []
}

export const session = (id: number | string, fields: object = {}) => ({
  event: 'session_start',
  session_id: `s${id}`,
  key: `k${id}`,
  ...fields,
})

export const many = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) => session(index + 1, fields))

export interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly upgrade?: boolean
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

/** A free port, for requests that arrive while a server starts. */
export async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  holder.close()
  await once(holder, 'close')
  return port
}

/** Sends a raw request: fetch does not let a test set Host or Origin. */
export function askRaw(
  port: number,
  { path, method = 'GET', headers = {}, upgrade = false, body }: Asked,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const wanted = upgrade
    ? {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }
    : {}
  const sent = httpRequest(
    // A connection of its own: one that another request left open belongs to whoever opened it.
    { host: '127.0.0.1', port, path, method, headers: { ...wanted, ...headers }, agent: false },
    (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    },
  )
  sent.on('upgrade', (answer, socket) => {
    socket.destroy()
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: '' })
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** Root may act as another user. */
export async function asAnother<T>(user: number, action: () => Promise<T>): Promise<T> {
  process.seteuid?.(user)
  try {
    return await action()
  } finally {
    process.seteuid?.(0)
  }
}

/** The same store, with some of its methods replaced. */
export const overriding = (ledger: EventStore, methods: Partial<EventStore>): EventStore =>
  new Proxy(ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
