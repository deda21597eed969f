import type { StreamFrame } from '@panoptes/schema'
import { backoff } from './backoff.ts'

/** The state of the connection. `connecting` applies only to the very first attempt. */
export type Link = 'connecting' | 'connected' | 'reconnecting' | 'disconnected'

/** The part of a WebSocket that the page uses. */
export interface Socket {
  onmessage: ((message: { readonly data: unknown }) => void) | null
  onclose: ((why: { readonly code: number }) => void) | null
  close(): void
}

export interface SocketOptions {
  readonly open: (since: number | null) => Socket
  /** The seq to resume from; null starts now. */
  readonly since: () => number | null
  readonly onFrame: (frame: StreamFrame) => void
  readonly onLink: (link: Link, retryAt: number | null) => void
  /** The server asked the page to start over, so earlier events may no longer be valid. */
  readonly onVoid: () => void
  readonly random?: () => number
}

/** The server sends something every 30 s, so a longer silence means that the connection is dead. */
const SILENCE_MS = 75_000
/** The server closes with this code when its log went back or events were forgotten. */
const BEGIN_ANEW = 1012
/** After this many failures in a row the page shows disconnected. */
const FAILURES_UNTIL_DISCONNECTED = 3

/** Keeps one socket open and reconnects as long as needed. Returns functions to stop and to retry at once. */
export function keepSocket(options: SocketOptions): {
  readonly stop: () => void
  readonly retry: () => void
} {
  let socket: Socket | null = null
  let failures = 0
  let opened = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  const connect = () => {
    clearTimeout(timer)
    const current = options.open(options.since())
    socket = current
    current.onmessage = ({ data }) => {
      listen()
      const frame = parseFrame(data)
      if (!frame) return
      if (frame.type === 'snapshot') {
        failures = 0
        opened = true
        options.onLink('connected', null)
      }
      options.onFrame(frame)
    }
    current.onclose = ({ code }) => {
      if (socket !== current) return
      if (code === BEGIN_ANEW) options.onVoid()
      fail()
    }
    listen()
  }

  const listen = () => {
    clearTimeout(silence)
    silence = setTimeout(drop, SILENCE_MS)
  }

  const drop = () => {
    const dead = socket
    fail()
    dead?.close()
  }

  const fail = () => {
    socket = null
    clearTimeout(silence)
    failures += 1
    const wait = backoff(failures, options.random)
    const lost = failures >= FAILURES_UNTIL_DISCONNECTED || (!opened && failures > 1)
    options.onLink(lost ? 'disconnected' : 'reconnecting', Date.now() + wait)
    timer = setTimeout(connect, wait)
  }

  connect()
  return {
    stop: () => {
      clearTimeout(timer)
      clearTimeout(silence)
      const current = socket
      socket = null
      current?.close()
    },
    retry: () => {
      if (!socket) connect()
    },
  }
}

function parseFrame(data: unknown): StreamFrame | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const frame: unknown = JSON.parse(data)
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as StreamFrame) : undefined
  } catch {
    return undefined
  }
}
