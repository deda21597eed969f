import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One address in front of several hubs, like the load balancer of a team. */
export interface Balancer {
  readonly address: string
  readonly leads: (port: number) => void
  readonly stop: () => Promise<void>
}

export async function startBalancer(): Promise<Balancer> {
  let port = 0
  const server = createServer((request, response) => {
    const headers = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress }
    const onward = httpRequest(
      { host: '127.0.0.1', port, path: request.url, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leads: (to) => {
      port = to
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
