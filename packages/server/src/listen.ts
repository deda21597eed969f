import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failure, type Result, success } from '@panoptes/schema'

/** Binds the port; why it could not is a value. */
export function listen(server: Server, host: string, port: number): Promise<Result<number>> {
  const { promise, resolve } = Promise.withResolvers<Result<number>>()
  const onError = (error: NodeJS.ErrnoException) => resolve(listenFailure(error, host, port))
  server.once('error', onError)
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

/** Takes no more requests and lets the running ones end, for ten seconds at most. */
export function drain(server: Server, limitMs = DRAIN_MS): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(() => server.closeAllConnections(), limitMs)
  server.close(() => {
    clearTimeout(limit)
    resolve()
  })
  server.closeIdleConnections()
  return promise
}
