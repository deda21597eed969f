import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { AccessCheck } from '../authenticate.ts'

/** One client of the stream: its position, and whether it can take more. */
export interface Client {
  readonly ws: WebSocket
  readonly socket: Duplex
  readonly batch: boolean
  /** The client subscribed to agent changes. */
  readonly agents: boolean
  /** The client subscribed to unlocked achievements. */
  readonly achievements: boolean
  /** Whether the client's credentials are still valid; if not, the client must sign in again. */
  readonly checkAccess: AccessCheck
  /** The last seq that was sent or skipped. */
  sentSeq: number
  /** How far the client may fall behind before it gets a gap frame. */
  maxLag: number
  /** The client waits for its socket or for the store. */
  busy: boolean
  /** The seq of its snapshot, which is newer than any agent frame before it. */
  snapshotSeq: number
  /** The client missed an agent frame and needs a snapshot. */
  stale: boolean
  /** Pings in a row without a pong. */
  unanswered: number
}

export const isOpen = (client: Client): boolean => client.ws.readyState === client.ws.OPEN

const TEXT = { binary: false, compress: false }

export const send = (client: Client, data: string | Buffer): void => client.ws.send(data, TEXT)
