import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** What a stream client has seen so far: each event once, in order of its seq. */
export interface Screen {
  readonly seen: () => number
  /** The keys of seen events, in order. */
  readonly keys: () => readonly string[]
  /** Faults: a skipped seq, a repeated one, or a gap. */
  readonly faults: () => readonly string[]
  readonly close: () => void
}

interface Frame {
  readonly type: string
  readonly seq?: number
  readonly data?: unknown
}

interface Told {
  readonly seq: number
  readonly key: string
}

const AGAIN_MS = 200

/**
 * Follows the stream from the first event. After a disconnect it resumes at its seq, with whichever hub answers.
 */
export function watchScreen(address: () => string, token: string): Screen {
  const keys: string[] = []
  const faults: string[] = []
  let isOpen = true
  let socket: WebSocket | undefined
  let last = 0
  const take = ({ seq, key }: Told) => {
    if (seq !== last + 1) faults.push(`after ${last} came ${seq}`)
    last = seq
    keys.push(key)
  }
  const hear = (text: string) => {
    const frame = JSON.parse(text) as Frame
    if (frame.type === 'event') take(frame.data as Told)
    if (frame.type === 'batch') for (const each of frame.data as readonly Told[]) take(each)
    // After a gap the client reconnects and resumes at its position.
    if (frame.type === 'gap') socket?.terminate()
  }
  const watch = async () => {
    while (isOpen) {
      const url = `${address().replace('http', 'ws')}/stream?since=${last}&batch=1`
      socket = new WebSocket(url, ['bearer', token], { handshakeTimeout: 5_000 })
      socket.on('message', (data) => hear(String(data)))
      const over = Promise.withResolvers<void>()
      socket.once('close', () => over.resolve())
      socket.once('error', () => over.resolve())
      await over.promise
      socket.terminate()
      if (isOpen) await setTimeout(AGAIN_MS)
    }
  }
  void watch()
  return {
    seen: () => last,
    keys: () => keys,
    faults: () => faults,
    close: () => {
      isOpen = false
      socket?.terminate()
    },
  }
}
