import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Standing } from '../callers.ts'

/** One reader of the stream: where it is, and whether it can take more. */
export interface Client {
  readonly ws: WebSocket
  readonly socket: Duplex
  readonly batch: boolean
  /** Wants to be told how agents change. */
  readonly agents: boolean
  /** Wants to be told what is unlocked. */
  readonly achievements: boolean
  /** Once it says no the client must sign in again. */
  readonly standing: Standing
  /** The last seq that was sent, or given up. */
  at: number
  /** How far it may fall behind before it is told of a gap. */
  mayLag: number
  /** Waits for its socket or for the ledger. */
  busy: boolean
  /** The seq of its snapshot: of agents it knows nothing older. */
  knows: number
  /** Could not be told of some agents. */
  stale: boolean
  /** Pings in a row that it has not answered. */
  unanswered: number
}

export const isOpen = (client: Client): boolean => client.ws.readyState === client.ws.OPEN

const TEXT = { binary: false, compress: false }

export const send = (client: Client, data: string | Buffer): void => client.ws.send(data, TEXT)
