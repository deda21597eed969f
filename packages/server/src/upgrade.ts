import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { Guard } from './guard.ts'
import type { Proxies } from './people/addresses.ts'
import type { Audit } from './people/audit.ts'
import { type Refusal, refusalOf, unexpected } from './problem.ts'
import { refuseRaw } from './raw.ts'

/** Judges a WebSocket like any other request, and hands it to the stream of its site. */
export const upgradesBy =
  (guard: Guard, log: Logger, proxies: Proxies, audit?: Audit) =>
  (request: IncomingMessage, socket: Duplex, first: Buffer): void => {
    socket.on('error', () => socket.destroy())
    const requestId = randomUUID()
    request.headers['x-request-id'] = requestId
    const refuse = (refusal: Refusal) => {
      log.warn({ request_id: requestId, status: refusal.status, code: refusal.code }, 'stream refused')
      refuseRaw(socket, refusal, requestId)
    }
    const url = URL.parse(request.url ?? '/', 'http://stream')
    if (url === null) {
      refuse(unreadable)
      return
    }
    const { remoteAddress: peer, localAddress: local } = request.socket
    const { pathname: path, search } = url
    const asked = { method: 'GET', path, search, headers: request.headers, peer, local, proxies }
    guard(asked).then(
      (judged) => {
        if (!judged.ok) {
          audit?.heard({ asked, judged, status: judged.refusal.status, target: null })
          return refuse(judged.refusal)
        }
        const { user_id, token_id } = judged.caller?.identity ?? {}
        const who = user_id ?? token_id ?? undefined
        judged.site.stream.upgrade(request, socket, first, judged.standing, who)
      },
      (error: Error) => {
        log.error({ request_id: requestId, error: error.message, stack: error.stack }, 'unexpected error')
        refuse(unexpected)
      },
    )
  }

const unreadable = refusalOf({
  ok: false,
  code: 'invalid',
  message: 'The address of the request cannot be read.',
})
