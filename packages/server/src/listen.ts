import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { failure, type Result, success } from '@panoptes/schema'

const connections = new WeakMap<Server, Set<Socket>>()

/** Binds the port; why it could not is a value. */
export function listen(server: Server, host: string, port: number): Promise<Result<number>> {
  const { promise, resolve } = Promise.withResolvers<Result<number>>()
  const onError = (error: NodeJS.ErrnoException) => resolve(listenFailure(error, host, port))
  server.once('error', onError)
  const sockets = new Set<Socket>()
  connections.set(server, sockets)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen({ host, port }, () => {
    server.off('error', onError)
    resolve(success((server.address() as AddressInfo).port))
  })
  return promise
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number) {
  switch (error.code) {
    case 'EADDRINUSE':
      return failure('busy', `Port ${port} on ${host} is taken.`)
    case 'EACCES':
      return failure('invalid', `No permission to listen on port ${port}. Choose one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failure('invalid', `${host} is not an address of this computer.`)
    default:
      return failure('io', `Cannot listen on ${host}, port ${port}: ${error.message}`)
  }
}

const DRAIN_MS = 10_000
const LOOK_EVERY_MS = 50

/** Takes no more requests and lets the running ones end, for ten seconds at most. */
export function drain(server: Server, limitMs = DRAIN_MS): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(() => server.closeAllConnections(), limitMs)
  const closeIdle = () => {
    server.closeIdleConnections()
    // Browsers open some in advance; one on which nothing was asked yet does not count as idle.
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
  }
  // One whose last request has ended would be kept open for a next one.
  const look = setInterval(closeIdle, LOOK_EVERY_MS)
  server.close(() => {
    clearTimeout(limit)
    clearInterval(look)
    resolve()
  })
  closeIdle()
  return promise
}
