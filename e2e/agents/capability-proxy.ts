import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that declares the capabilities of its server itself. */
export interface Offering {
  readonly url: string
  readonly offer: (features: Readonly<Record<string, boolean>>) => void
  readonly close: () => Promise<void>
}

/** Passes everything on to a Hermes API server, but declares the capabilities itself. */
export async function offering(
  behind: string,
  features: Readonly<Record<string, boolean>>,
): Promise<Offering> {
  let offered = features
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/v1/capabilities') {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ model: 'hermes-agent', features: offered }))
      return
    }
    const { method, headers } = incoming
    const passed = request(
      new URL(incoming.url ?? '/', behind),
      { method, headers, agent: false },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.on('error', () => outgoing.destroy()).pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offer: (next) => {
      offered = next
    },
    close: () =>
      new Promise((gone) => {
        server.close(() => gone())
        server.closeAllConnections()
      }),
  }
}
