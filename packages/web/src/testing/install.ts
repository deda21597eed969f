import { FakeServer } from './fake-server.ts'

const OWN_PATH = /^\/(?:api|auth|v1|stream|events|health|ready)(?:\/|$)/

let server = new FakeServer()

/** The page connects while its modules load, so the fakes must be installed before them. */
const { fetch, WebSocket: NativeSocket } = globalThis

const isOwn = (address: string | URL) => OWN_PATH.test(new URL(address, location.href).pathname)

globalThis.fetch = (input, init) =>
  isOwn(input instanceof Request ? input.url : input) ? server.fetch(input, init) : fetch(input, init)

globalThis.WebSocket = new Proxy(NativeSocket, {
  construct: (target, args: ConstructorParameters<typeof NativeSocket>) =>
    isOwn(args[0]) ? new server.stream.WebSocket(args[0]) : new target(...args),
})

/**
 * Installs a new server. The connections of the previous one close with the code that asks the page to start
 * over.
 */
export function replaceServer(): FakeServer {
  const before = server
  server = new FakeServer()
  before.stream.drop(1012)
  return server
}
