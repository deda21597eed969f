import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createLine, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { generateNewEvents } from '@panoptes/engine/demo'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { type NewEvent, success } from '@panoptes/schema'
import { unwrap } from '../result.test-kit.ts'
import { type Forward, type ForwardOptions, startForward } from './forward.ts'
import { type HubOptions, openHub } from './hub.ts'

export const TOKEN = 'pan_good'

/** Handles one request in place of the hub. */
export type Deed = (request: Received, answer: ServerResponse) => unknown

export interface Received {
  readonly lines: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly bytes: number
}

/** A hub that follows its script and then accepts everything. It records keys once, in order of arrival. */
export interface ScriptedHub {
  readonly to: string
  readonly port: number
  /** Every accepted line, including repetitions. */
  readonly taken: NewEvent[]
  readonly requests: Received[]
  readonly script: Deed[]
  /** Handles every request after the script, while it is set. */
  always: Deed | undefined
  token: string
  readonly keys: () => readonly string[]
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export async function startHub(port = 0): Promise<ScriptedHub> {
  const taken: NewEvent[] = []
  const requests: Received[] = []
  const script: Deed[] = []
  let connections = 0
  const answered = async (incoming: IncomingMessage, answer: ServerResponse) => {
    if (incoming.url === '/health') return answer.end('{"ok":true,"version":"9.9.9"}')
    const chunks: Buffer[] = []
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const text = gunzipSync(raw).toString('utf8')
    const lines = text.split('\n').filter((line) => line !== '')
    const received = { lines, headers: incoming.headers, bytes: raw.length }
    requests.push(received)
    if (incoming.headers.authorization !== `Bearer ${hub.token}`) return refuse(answer, 401, 'wrong_token')
    const deed = script.shift() ?? hub.always
    if (deed && deed(received, answer) !== 'take') return
    for (const line of lines) taken.push(JSON.parse(line) as NewEvent)
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify({ accepted: lines.length, duplicates: 0, rejected: [] }))
  }
  const server = createServer((incoming, answer) => {
    answered(incoming, answer).catch(() => answer.destroy())
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  const hub: ScriptedHub = {
    to: `http://127.0.0.1:${bound}`,
    port: bound,
    taken,
    requests,
    script,
    always: undefined,
    token: TOKEN,
    keys: () => [...new Set(taken.map(({ key }) => key))],
    connections: () => connections,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
  return hub
}

/** Refuses a request the way a Panoptes hub does. */
export function refuse(
  answer: ServerResponse,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  answer.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
  const title = `refused as ${code}`
  answer.end(
    JSON.stringify({ type: `urn:panoptes:problem:${code}`, title, status, detail: title, request_id: 'r' }),
  )
}

export const refusing =
  (status: number, code: string, headers?: Readonly<Record<string, string>>): Deed =>
  (_request, answer) =>
    refuse(answer, status, code, headers)

/** A store in its own folder. */
export interface Lab {
  readonly file: string
  readonly store: EventStore
  readonly end: () => Promise<void>
}

export async function openLab(): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-forward-'))
  const file = join(folder, 'ledger.db')
  const store = unwrap(await openSqliteStore(file))
  return {
    file,
    store,
    end: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export const day = (count: number, seed = 7): NewEvent[] => [...generateNewEvents({ seed, events: count })]

export async function appendAll(store: EventStore, events: readonly NewEvent[], size = 1_000): Promise<void> {
  for (let at = 0; at < events.length; at += size) unwrap(await store.append(events.slice(at, at + size)))
}

const QUICK = { firstMs: 5, mostMs: 40, slowMs: 60, lookMs: 20 }

export interface LogLine {
  readonly level: 'info' | 'warn'
  readonly fields: object
  readonly text: string
}

/** Creates a forwarder with short waits. */
export async function forwarding(
  ledger: EventStore,
  to: string,
  options: Partial<ForwardOptions & HubOptions> = {},
): Promise<Forward & { readonly logged: readonly LogLine[] }> {
  const logged: LogLine[] = []
  const token = options.token ?? (async () => success(TOKEN))
  const { timeoutMs = 10_000, maxKbPerSecond = null } = options
  const forward = unwrap(
    await startForward({
      store: ledger,
      hub: openHub({ to, token, timeoutMs, maxKbPerSecond }),
      token,
      what: 'metadata',
      host: 'studio',
      log: {
        info: (fields, text) => void logged.push({ level: 'info', fields, text }),
        warn: (fields, text) => void logged.push({ level: 'warn', fields, text }),
      },
      ...options,
      times: { ...QUICK, ...options.times },
    }),
  )
  return { ...forward, logged }
}

export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  ms = 30_000,
): Promise<void> {
  const limit = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > limit) throw new Error(`not within ${ms} ms: ${what}`)
    await sleep(20)
  }
}

/** A connection that breaks after so many bytes in either direction, or at once. */
export interface FaultLine {
  readonly to: string
  /** The bytes a connection carries to the hub before it breaks; undefined never breaks it. */
  breakAfter: number | undefined
  /** Accepts what clients send and passes none of it on. */
  stalled: boolean
  /** The number of bytes from the client that it dropped while it was stalled. */
  swallowed: number
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export async function startLine(port: number): Promise<FaultLine> {
  const open = new Set<Socket>()
  const server = createLine((socket) => {
    const far = connect(port, '127.0.0.1')
    let carried = 0
    for (const one of [socket, far]) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        socket.destroy()
        far.destroy()
      })
    }
    socket.on('data', (part) => {
      if (line.stalled) {
        line.swallowed += part.length
        return
      }
      carried += part.length
      if (line.breakAfter !== undefined && carried > line.breakAfter) socket.destroy()
      else far.write(part)
    })
    far.on('data', (part) => void (line.stalled || socket.write(part)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const line: FaultLine = {
    to: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAfter: undefined,
    stalled: false,
    swallowed: 0,
    cut,
    close: () => {
      cut()
      return new Promise((done) => server.close(() => done()))
    },
  }
  return line
}
