import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { findDaemon, type Paths, tokenFile } from '@panoptes/engine/home'
import { check, type StreamFrame, streamFrame } from '@panoptes/schema'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

export interface Follower {
  readonly frame: (frame: StreamFrame) => void
  /** The connection is there, or gone and tried again. */
  readonly connected: (there: boolean) => void
}

/** Follows the stream of the running Panoptes until the signal, over its restarts too. */
export async function follow(
  paths: Paths,
  { frame, connected }: Follower,
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_WAIT_MS
  while (!signal.aborted) {
    const lasted = await once(paths, frame, () => connected(true), signal)
    if (signal.aborted) return
    connected(false)
    pause = lasted ? FIRST_WAIT_MS : Math.min(pause * 2, LONGEST_WAIT_MS)
    await wait(pause, undefined, { signal }).catch(() => undefined)
  }
}

/** One connection, to its end; answers whether it ever came about. */
async function once(
  paths: Paths,
  take: (frame: StreamFrame) => void,
  opened: () => void,
  signal: AbortSignal,
): Promise<boolean> {
  const daemon = await findDaemon(paths)
  if (daemon.state !== 'running') return false
  const token = await readFile(tokenFile(paths, 'full'), 'utf8').catch(() => '')
  if (signal.aborted) return false
  const address = `${daemon.info.address.replace(/^http/, 'ws')}/stream?agents=1&batch=1`
  const socket = new WebSocket(address, ['bearer', token.trim()])
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let open = false
  const stop = () => socket.close()
  signal.addEventListener('abort', stop, { once: true })
  socket.addEventListener('open', () => {
    if (signal.aborted) return
    open = true
    opened()
  })
  socket.addEventListener('message', ({ data }) => {
    if (signal.aborted) return
    const frame = check(streamFrame, parse(data))
    if (!frame.ok) return
    // What was missed is in the snapshot of the next connection.
    if (frame.value.type === 'gap') socket.close()
    else take(frame.value)
  })
  socket.addEventListener('error', () => socket.close())
  socket.addEventListener('close', () => resolve(open))
  const lasted = await promise
  signal.removeEventListener('abort', stop)
  return lasted
}

function parse(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}
