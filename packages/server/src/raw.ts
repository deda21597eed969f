import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { securityHeaders } from './headers.ts'
import { PROBLEM_TYPE, problemBody, type Refusal } from './problem.ts'

/** Says no on a bare socket the way every other answer says no. */
export function refuseRaw(socket: Duplex, refusal: Refusal, requestId: string): void {
  const body = problemBody(refusal, requestId)
  const headers = {
    ...securityHeaders(undefined),
    ...refusal.headers,
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Refused'}`
  socket.once('finish', () => socket.destroy())
  socket.end(`${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** For an upgrade that is granted. */
export const upgradeHeaders = (request: IncomingMessage): string[] => [
  `x-request-id: ${request.headers['x-request-id']}`,
  ...Object.entries(securityHeaders(undefined)).map(([name, value]) => `${name}: ${value}`),
]

/** What Node could not even read as a request. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseRaw(socket, unreadable(error.code), randomUUID())
}

/** A request whose address or Host makes no sense. */
export function unreadableAnswer(): Response {
  const requestId = randomUUID()
  return new Response(problemBody(unreadable(undefined), requestId), {
    status: 400,
    headers: { ...securityHeaders(undefined), 'content-type': PROBLEM_TYPE, 'x-request-id': requestId },
  })
}

function unreadable(code: string | undefined): Refusal {
  const next = 'Send it again with an ordinary HTTP client.'
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      status: 431,
      code: 'invalid',
      title: 'Headers too large',
      detail: 'The headers are too large.',
      next,
    }
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      status: 408,
      code: 'invalid',
      title: 'Too slow',
      detail: 'The request did not come to its end.',
      next,
    }
  }
  return {
    status: 400,
    code: 'invalid',
    title: 'Bad request',
    detail: 'This is not a request that can be read.',
    next,
  }
}
