import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { securityHeaders } from './headers.ts'
import { PROBLEM_TYPE, problemBody, type Refusal } from './problem.ts'

/** Sends a refusal over a raw socket, with the same body and headers as over HTTP. */
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

/** The headers of an accepted upgrade. */
export const upgradeHeaders = (request: IncomingMessage): string[] => [
  `x-request-id: ${request.headers['x-request-id']}`,
  ...Object.entries(securityHeaders(undefined)).map(([name, value]) => `${name}: ${value}`),
]

/** Answers bytes that Node could not parse as a request. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseRaw(socket, unreadable(error.code), randomUUID())
}

/** Answers a request with an invalid URL or Host header. */
export function unreadableAnswer(): Response {
  const requestId = randomUUID()
  return new Response(problemBody(unreadable(undefined), requestId), {
    status: 400,
    headers: { ...securityHeaders(undefined), 'content-type': PROBLEM_TYPE, 'x-request-id': requestId },
  })
}

function unreadable(code: string | undefined): Refusal {
  const next = 'Send the request again with a standard HTTP client.'
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      status: 431,
      code: 'invalid',
      title: 'Headers too large',
      detail: 'The request headers are too large.',
      next,
    }
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      status: 408,
      code: 'invalid',
      title: 'Too slow',
      detail: 'The request did not arrive completely in time.',
      next,
    }
  }
  return {
    status: 400,
    code: 'invalid',
    title: 'Bad request',
    detail: 'This is not a valid HTTP request.',
    next,
  }
}
