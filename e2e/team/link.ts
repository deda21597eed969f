import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP connection to one of several places, that can be cut. */
export interface Link {
  /** `http://127.0.0.1:43121`, without a trailing slash. */
  readonly address: string
  /** Ends every connection, also in the middle of a request. */
  readonly cut: () => void
  /** While it is down nobody gets through, and what was open is cut. */
  readonly set: (isUp: boolean) => void
  readonly close: () => Promise<void>
}

/** Leads to the places in turn, past those that do not answer, as a load balancer would. */
export async function openLink(places: () => readonly string[]): Promise<Link> {
  const open = new Set<Socket>()
  let isUp = true
  let turn = 0
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    return socket
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
    far.once('connect', () => {
      near.pipe(far).pipe(near)
      near.once('close', () => far.destroy())
      far.once('close', () => near.destroy())
    })
    far.once('error', () => {
      if (far.bytesRead === 0 && far.bytesWritten === 0) lead(near, left - 1)
    })
  }
  const server = createServer((near) => lead(keep(near), places().length))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    set: (now) => {
      isUp = now
      if (!now) cut()
    },
    close: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
