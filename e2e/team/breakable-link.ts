import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to one of several targets that a test can cut. */
export interface Link {
  /** The host and port of the proxy, such as `127.0.0.1:43121`. */
  readonly host: string
  /** The URL of the proxy, such as `http://127.0.0.1:43121`, without a trailing slash. */
  readonly address: string
  /** Breaks every connection, also in the middle of a request. */
  readonly cut: () => void
  /** While it is down, connections are cut and new ones fail. */
  readonly set: (isUp: boolean) => void
  /**
   * Silently drops all traffic in both directions; new connections get no answer either. The returned function ends
   * that: held data arrives late, or the connections turn out to be dead.
   */
  readonly hush: () => (then: 'late' | 'dead') => void
  readonly close: () => Promise<void>
}

/** Connects to the targets in turn and skips those that do not answer, like a load balancer. */
export async function openLink(places: () => readonly string[]): Promise<Link> {
  const open = new Set<Socket>()
  const pairs = new Set<readonly [near: Socket, far: Socket]>()
  let isUp = true
  let isSilent = false
  let waiting: Socket[] = []
  let turn = 0
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    return socket
  }
  const join = (near: Socket, far: Socket): void => {
    const pair = [near, far] as const
    pairs.add(pair)
    if (!isSilent) near.pipe(far).pipe(near)
    near.once('close', () => {
      pairs.delete(pair)
      far.destroy()
    })
    far.once('close', () => near.destroy())
  }
  const lead = (near: Socket, left: number): void => {
    const all = places()
    const place = all[turn++ % Math.max(1, all.length)]
    if (!isUp || place === undefined || left === 0) {
      near.destroy()
      return
    }
    const { hostname, port } = new URL(place)
    const far = keep(connect({ host: hostname, port: Number(port) }))
    far.once('connect', () => join(near, far))
    far.once('error', () => {
      if (far.bytesRead === 0 && far.bytesWritten === 0) lead(near, left - 1)
    })
  }
  const take = (near: Socket) => {
    if (isSilent) waiting.push(near)
    else lead(near, places().length)
  }
  const server = createServer((near) => take(keep(near)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const speak = (then: 'late' | 'dead') => {
    isSilent = false
    if (then === 'dead') cut()
    for (const [near, far] of pairs) near.pipe(far).pipe(near)
    for (const near of waiting) if (!near.destroyed) take(near)
    waiting = []
  }
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    address: `http://${host}`,
    cut,
    set: (now) => {
      isUp = now
      if (!now) cut()
    },
    hush: () => {
      isSilent = true
      for (const pair of pairs) for (const socket of pair) socket.unpipe().pause()
      return speak
    },
    close: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
