import { type Agent, request } from 'node:http'

export interface Hub {
  readonly port: number
  readonly token: string
  readonly agent: Agent
}

/** Posts events and waits for the reply. A buffer is already compressed. */
export function postEvents({ port, token, agent }: Hub, body: string | Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/x-ndjson',
    'content-length': Buffer.byteLength(body),
    ...(typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }),
  }
  const asked = request(
    { host: '127.0.0.1', port, path: '/events', method: 'POST', agent, headers },
    (answer) => {
      answer.resume()
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`answered ${answer.statusCode}`)),
      )
    },
  )
  asked.on('error', reject)
  asked.end(body)
  return promise
}
