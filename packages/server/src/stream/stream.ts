import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EventStore } from '@panoptes/engine/store'
import { type AchievementItem, type AchievementsView, check, streamQuery } from '@panoptes/schema'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { AccessCheck } from '../authenticate.ts'
import { badInput, notFound, type Refusal, toRefusal, tryAgain } from '../problem.ts'
import { refuseRaw, upgradeHeaders } from '../socket-refusal.ts'
import type { Flow } from '../throughput.ts'
import { type Client, isOpen, send } from './client.ts'
import { PING, readSnapshot, unlockedFrame } from './frames.ts'
import { Hub, type HubLimits } from './hub.ts'

/** A client that does not read cannot send pongs either. It may miss this many before it is disconnected. */
const MAY_STALL = 10

export interface StreamLimits extends HubLimits {
  readonly clients: number
  /** The most clients of one person or token of a team. */
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

interface Subscription {
  readonly since: number | undefined
  readonly batch: boolean | undefined
  readonly agents: boolean | undefined
  readonly achievements: boolean | undefined
}

interface Parts {
  readonly store: EventStore
  /** Announces rows as they are stored. */
  readonly feed: Pick<EventStore, 'subscribe'>
  readonly flow: Flow
  readonly log: Logger
  readonly limits: StreamLimits
}

/** `WS /stream`: checks the client, sends a snapshot, then every event. */
export interface Stream {
  /** Accepts an authorized client. `checkAccess` is checked again and again while it is connected. */
  readonly upgrade: (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    checkAccess: AccessCheck,
    who?: string,
  ) => void
  readonly clients: () => number
  readonly head: () => number
  /** Closes the streams of clients whose credentials are no longer valid. */
  readonly recheck: () => void
  /** Sessions were forgotten: disconnects all clients, so that they start over. */
  readonly restart: () => void
  /** Tells subscribed clients which achievements were unlocked. */
  readonly announceUnlocked: (view: AchievementsView, achievements: readonly AchievementItem[]) => void
  readonly close: () => Promise<void>
}

export function createStream(head: number, parts: Parts): Stream {
  const { store, limits } = parts
  const hub = new Hub(head, parts)
  const opening = new Set<WebSocket>()
  /** How many streams each known caller has. */
  const streamCounts = new Map<string, number>()
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
    const now = (streamCounts.get(who) ?? 0) + by
    if (now > 0) streamCounts.set(who, now)
    else streamCounts.delete(who)
  }

  const open = async (
    ws: WebSocket,
    socket: Duplex,
    query: Subscription,
    checkAccess: AccessCheck,
    who?: string,
  ) => {
    opening.add(ws)
    count(who, 1)
    ws.on('error', () => undefined)
    const client: Client = {
      ws,
      socket,
      batch: query.batch ?? false,
      agents: query.agents ?? false,
      achievements: query.achievements ?? false,
      snapshotSeq: 0,
      stale: false,
      checkAccess,
      sentSeq: 0,
      maxLag: 0,
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
    const snapshot = await readSnapshot(store, limits.alive)
    opening.delete(ws)
    if (!isOpen(client)) return
    if (snapshot === undefined) {
      ws.close(1011, 'the store could not be read')
      return
    }
    const { seq } = snapshot
    send(client, snapshot.frame)
    client.snapshotSeq = seq
    client.sentSeq = Math.min(query.since ?? seq, seq)
    hub.add(client, snapshot.alive)
    // The client was not in the list yet when others were rechecked during the read.
    void closeIfSignedOut(client)
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
    for (const client of hub.clients) void closeIfSignedOut(client)
  }

  /** Checks everything that can be refused before the upgrade. */
  const checkUpgrade = (request: IncomingMessage, who: string | undefined): Refusal | Subscription => {
    const url = new URL(request.url ?? '/', 'http://stream')
    if (url.pathname !== '/stream') return notFound(url.pathname)
    const query = check(streamQuery, Object.fromEntries(url.searchParams))
    if (!query.ok) return badInput('query', query.problems)
    if (hub.clients.size + opening.size >= limits.clients) {
      return tryAgain(`The limit of ${limits.clients} connected clients is reached.`)
    }
    if (who !== undefined && (streamCounts.get(who) ?? 0) >= limits.each)
      return tryAgain(`You have reached your limit of ${limits.each} connected clients.`)
    const { since, batch, agents, achievements } = query.value
    return { since, batch, agents, achievements }
  }

  return {
    upgrade: (request, socket, first, checkAccess, who) => {
      const subscription = checkUpgrade(request, who)
      if ('status' in subscription) {
        const requestId = String(request.headers['x-request-id'])
        parts.log.warn(
          { request_id: requestId, status: subscription.status, code: subscription.code },
          'stream refused',
        )
        refuseRaw(socket, subscription, requestId)
        return
      }
      wss.handleUpgrade(request, socket, first, (ws) => void open(ws, socket, subscription, checkAccess, who))
    },
    clients: () => hub.clients.size,
    head: () => hub.head,
    recheck,
    restart: () => hub.restart(),
    announceUnlocked: (view, achievements) => {
      const frame = unlockedFrame(view, achievements)
      for (const client of hub.clients)
        if (client.achievements && client.ws.bufferedAmount <= limits.unsentBytes) send(client, frame)
    },
    close: async () => {
      clearInterval(pinging)
      for (const ws of [...opening, ...[...hub.clients].map((client) => client.ws)]) {
        ws.close(1001, 'Panoptes stops')
        // A client that does not answer the close must not delay the shutdown.
        setTimeout(() => ws.terminate(), 2_000).unref()
      }
      wss.close()
      await hub.stop()
    },
  }
}

const badHandshake = (error: Error): Refusal =>
  toRefusal({ ok: false, code: 'invalid', message: `The WebSocket handshake is invalid: ${error.message}.` })

async function closeIfSignedOut({ ws, checkAccess }: Client): Promise<void> {
  if (!(await checkAccess())) ws.close(1008, 'the token is no longer valid')
}
