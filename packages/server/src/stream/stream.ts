import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Ledger } from '@panoptes/engine/ledger'
import { type AchievementItem, type AchievementsView, check, streamQuery } from '@panoptes/schema'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Standing } from '../callers.ts'
import type { Flow } from '../flow.ts'
import { badInput, notFound, type Refusal, refusalOf, tryAgain } from '../problem.ts'
import { refuseRaw, upgradeHeaders } from '../raw.ts'
import { type Client, isOpen, send } from './client.ts'
import { PING, unlockedFrame } from './frames.ts'
import { Hub, type HubLimits } from './hub.ts'
import { readSnapshot } from './snapshot.ts'

/** A client that does not read cannot answer either; it has this many pings to go on, and is then told of its gap. */
const MAY_STALL = 10

export interface StreamLimits extends HubLimits {
  readonly clients: number
  /** Of one person or token of a team. */
  readonly each: number
  readonly pingMs: number
  /** The most living agents in a snapshot. */
  readonly alive: number
}

export const STREAM_LIMITS: StreamLimits = {
  unsentBytes: 1_048_576,
  behind: 50_000,
  clients: 256,
  each: 32,
  pingMs: 30_000,
  alive: 10_000,
}

interface Wanted {
  readonly since: number | undefined
  readonly batch: boolean | undefined
  readonly agents: boolean | undefined
  readonly achievements: boolean | undefined
}

interface Parts {
  readonly ledger: Ledger
  /** Where rows come from as they are stored. */
  readonly feed: Pick<Ledger, 'subscribe'>
  readonly flow: Flow
  readonly log: Logger
  readonly limits: StreamLimits
}

/** `WS /stream`: who may listen, the snapshot first, then every event. */
export interface Stream {
  /** For whoever was let in; whether they still would be is asked again and again. */
  readonly upgrade: (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    standing: Standing,
    who?: string,
  ) => void
  readonly clients: () => number
  readonly head: () => number
  /** Closes whoever signed in with a token that is no longer good. */
  readonly recheck: () => void
  /** Events were forgotten: whoever listens is asked to begin anew. */
  readonly forgot: () => void
  /** Tells whoever wants to know what was unlocked. */
  readonly unlocked: (view: AchievementsView, achievements: readonly AchievementItem[]) => void
  readonly close: () => Promise<void>
}

export function createStream(head: number, parts: Parts): Stream {
  const { ledger, limits } = parts
  const hub = new Hub(head, parts)
  const opening = new Set<WebSocket>()
  /** How many each has who is known. */
  const had = new Map<string, number>()
  const wss = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: 4_096,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('bearer') ? 'bearer' : false),
  })
  wss.on('headers', (lines, request) => lines.push(...upgradeHeaders(request)))
  wss.on('wsClientError', (error, socket) => refuseRaw(socket, badHandshake(error), randomUUID()))

  const count = (who: string | undefined, by: 1 | -1) => {
    if (who === undefined) return
    const now = (had.get(who) ?? 0) + by
    if (now > 0) had.set(who, now)
    else had.delete(who)
  }

  const open = async (ws: WebSocket, socket: Duplex, query: Wanted, standing: Standing, who?: string) => {
    opening.add(ws)
    count(who, 1)
    ws.on('error', () => undefined)
    const client: Client = {
      ws,
      socket,
      batch: query.batch ?? false,
      agents: query.agents ?? false,
      achievements: query.achievements ?? false,
      knows: 0,
      stale: false,
      standing,
      at: 0,
      mayLag: 0,
      busy: false,
      unanswered: 0,
    }
    ws.on('pong', () => {
      client.unanswered = 0
    })
    ws.on('close', () => {
      opening.delete(ws)
      hub.clients.delete(client)
      count(who, -1)
    })
    const snapshot = await readSnapshot(ledger, limits.alive)
    opening.delete(ws)
    if (!isOpen(client)) return
    if (snapshot === undefined) {
      ws.close(1011, 'the ledger could not be read')
      return
    }
    const { seq } = snapshot
    send(client, snapshot.frame)
    client.knows = seq
    client.at = Math.min(query.since ?? seq, seq)
    hub.add(client, snapshot.alive)
    // Whoever fell while the snapshot was read was not seen by those who looked.
    void closeIfFallen(client)
  }

  const ping = () => {
    recheck()
    for (const client of hub.clients) {
      if (client.unanswered >= (client.busy ? MAY_STALL : 1)) {
        client.ws.terminate()
        continue
      }
      client.unanswered += 1
      client.ws.ping()
      if (client.ws.bufferedAmount <= limits.unsentBytes) send(client, PING)
    }
  }
  const pinging = setInterval(ping, limits.pingMs)
  pinging.unref()

  const recheck = () => {
    for (const client of hub.clients) void closeIfFallen(client)
  }

  /** Everything that can be said before the upgrade. */
  const judge = (request: IncomingMessage, who: string | undefined): Refusal | Wanted => {
    const url = new URL(request.url ?? '/', 'http://stream')
    if (url.pathname !== '/stream') return notFound(url.pathname)
    const query = check(streamQuery, Object.fromEntries(url.searchParams))
    if (!query.ok) return badInput('query', query.problems)
    if (hub.clients.size + opening.size >= limits.clients) {
      return tryAgain(`${limits.clients} clients are connected, which is the most there may be.`)
    }
    if (who !== undefined && (had.get(who) ?? 0) >= limits.each)
      return tryAgain(`You have ${limits.each} clients connected, which is the most that one may have.`)
    const { since, batch, agents, achievements } = query.value
    return { since, batch, agents, achievements }
  }

  return {
    upgrade: (request, socket, first, standing, who) => {
      const judged = judge(request, who)
      if ('status' in judged) {
        const requestId = String(request.headers['x-request-id'])
        parts.log.warn({ request_id: requestId, status: judged.status, code: judged.code }, 'stream refused')
        refuseRaw(socket, judged, requestId)
        return
      }
      wss.handleUpgrade(request, socket, first, (ws) => void open(ws, socket, judged, standing, who))
    },
    clients: () => hub.clients.size,
    head: () => hub.head,
    recheck,
    forgot: () => hub.forgot(),
    unlocked: (view, achievements) => {
      const frame = unlockedFrame(view, achievements)
      for (const client of hub.clients)
        if (client.achievements && client.ws.bufferedAmount <= limits.unsentBytes) send(client, frame)
    },
    close: async () => {
      clearInterval(pinging)
      for (const ws of [...opening, ...[...hub.clients].map((client) => client.ws)]) {
        ws.close(1001, 'Panoptes stops')
        // One that does not answer the close must not hold the end up.
        setTimeout(() => ws.terminate(), 2_000).unref()
      }
      wss.close()
      await hub.stop()
    },
  }
}

const badHandshake = (error: Error): Refusal =>
  refusalOf({ ok: false, code: 'invalid', message: `This is no WebSocket handshake: ${error.message}.` })

async function closeIfFallen({ ws, standing }: Client): Promise<void> {
  if (!(await standing())) ws.close(1008, 'the token is not good any more')
}
