import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { securityHeaders } from '../headers.ts'
import { PROBLEM_TYPE, problemBody, type Refusal } from '../problem.ts'

/** Says no to an upgrade the way every other answer says no. */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  refusal: Refusal,
  requestId: string,
): void {
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
  socket.end(`${status}\r\n${lines.join('\r\n')}\r\n\r\n${request.method === 'HEAD' ? '' : body}`)
  socket.once('finish', () => socket.destroy())
}

/** For the answer that says yes. */
export const upgradeHeaders = (request: IncomingMessage): string[] => [
  `x-request-id: ${request.headers['x-request-id']}`,
  ...Object.entries(securityHeaders(undefined)).map(([name, value]) => `${name}: ${value}`),
]
