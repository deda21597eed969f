import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { isLoopback, openBrowsers, openTokens, webhookSecret } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { ServerContext } from './app-context.ts'
import type { Audit } from './auth/audit.ts'
import { createProxies, type Proxies } from './auth/client-address.ts'
import type { People } from './auth/people.ts'
import type { FindCaller } from './authenticate.ts'
import { type Authorize, createAuthorize, type OpenSpaces } from './authorize.ts'
import { createConfirmations } from './confirmations.ts'
import { createCredentials } from './credentials.ts'
import { createAllowedHosts, serverUrl } from './hosts.ts'
import { createLoopDelay } from './loop-delay.ts'
import { createRequestMetrics } from './metrics.ts'
import type { HttpServerOptions } from './options.ts'
import { type Refusal, toRefusal, unexpected } from './problem.ts'
import { createSignInLinks } from './sign-in.ts'
import { refuseRaw, refuseUnreadable, unreadableAnswer } from './socket-refusal.ts'
import { createPage } from './static-files.ts'

export interface Listener {
  readonly serverContext: Omit<ServerContext, 'people'>
  /**
   * Starts to take requests. Node drops a request that arrives while there is no listener for it, so call this
   * before anything is awaited after the bind. Until `ready` is called, requests wait for a while and are then
   * refused with 503.
   */
  readonly serve: (openSpaces: OpenSpaces, find: FindCaller, people?: People) => void
  /** Called when the home's space is open. */
  readonly ready: () => void
  /** Stops taking requests and lets running ones finish. */
  readonly close: () => Promise<void>
}

const START_LIMITS = { waitMs: 10_000, waiting: 256 }

export async function openListener(options: HttpServerOptions): Promise<Result<Listener>> {
  const { host, paths, config, log } = options
  if (!isLoopback(host) && !options.allowRemote) {
    return failure(
      'invalid',
      `Other computers can reach ${host}. If you want that, confirm it with --host ${host}.`,
    )
  }
  const tokens = await openTokens(paths)
  if (!tokens.ok) return tokens
  const secret = await webhookSecret(paths)
  if (!secret.ok) return secret
  const browsers = await openBrowsers(paths, {
    token: () => tokens.value.read('full'),
    onFailure: (error) => log.warn({ error: String(error) }, 'the list of browsers cannot be written'),
  })
  const server = createServer({
    requestTimeout: 120_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 5_000,
    // Some clients offer an upgrade to HTTP/2; they get an ordinary answer instead.
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  })
  // The port is known only after the bind, and the allowed hosts depend on it.
  const bound = await listen(server, host, options.port)
  if (!bound.ok) return bound
  const port = bound.value
  const loopDelay = createLoopDelay()
  const serverContext: Omit<ServerContext, 'people'> = {
    options,
    port,
    address: serverUrl(host, port),
    startedAt: Date.now(),
    tokens: tokens.value,
    credentials: createCredentials(tokens.value, browsers, port),
    browsers,
    confirmations: createConfirmations(),
    links: createSignInLinks(),
    page: createPage(options.page),
    hosts: createAllowedHosts(host, port, config.server.allowed_hosts, config.team.public_url),
    proxies: createProxies(config.team.trusted_proxies),
    loopDelay,
    requestMetrics: createRequestMetrics(),
  }
  const gate = createStartGate(START_LIMITS)
  return success({
    serverContext,
    serve: (openSpaces, find, people) => {
      const authorize = createAuthorize({
        hosts: serverContext.hosts,
        find,
        openSpaces,
        team: people !== undefined,
        waitForStart: gate.wait,
      })
      const listener = getRequestListener(createApp({ ...serverContext, people }, authorize).fetch, {
        overrideGlobalObjects: false,
        errorHandler: unreadableAnswer,
      })
      server.on('request', (request, response) => void listener(request, response))
      server.on('upgrade', createUpgradeHandler(authorize, log, serverContext.proxies, people?.audit))
      server.on('clientError', refuseUnreadable)
    },
    ready: () => {
      gate.open()
      log.info({ address: serverContext.address }, 'listening')
    },
    close: async () => {
      gate.open()
      await drain(server)
      await browsers.settled()
      loopDelay.stop()
    },
  })
}

/** Holds requests between the bind of the port and the moment when the server can answer. */
interface StartGate {
  /** Resolves when the server can answer, or when the time limit is over. */
  readonly wait: () => Promise<void>
  readonly open: () => void
}

interface StartGateLimits {
  readonly waitMs: number
  /** How many requests may wait; others are answered at once. */
  readonly waiting: number
}

export function createStartGate({ waitMs, waiting }: StartGateLimits): StartGate {
  const opened = Promise.withResolvers<void>()
  let isOpen = false
  let count = 0
  return {
    wait: async () => {
      if (isOpen || count >= waiting) return
      count += 1
      const limit = Promise.withResolvers<void>()
      const timer = setTimeout(limit.resolve, waitMs)
      await Promise.race([opened.promise, limit.promise])
      clearTimeout(timer)
      count -= 1
    },
    open: () => {
      isOpen = true
      opened.resolve()
    },
  }
}

/** Authorizes a WebSocket like any other request, and hands it to the stream of its space. */
const createUpgradeHandler =
  (authorize: Authorize, log: Logger, proxies: Proxies, audit?: Audit) =>
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
    const requestHead = { method: 'GET', path, search, headers: request.headers, peer, local, proxies }
    authorize(requestHead).then(
      (authorization) => {
        if (!authorization.ok) {
          audit?.record({ requestHead, authorization, status: authorization.refusal.status, target: null })
          return refuse(authorization.refusal)
        }
        const { user_id, token_id } = authorization.caller?.identity ?? {}
        const who = user_id ?? token_id ?? undefined
        authorization.spaceServer.stream.upgrade(request, socket, first, authorization.checkAccess, who)
      },
      (error: Error) => {
        log.error({ request_id: requestId, error: error.message, stack: error.stack }, 'unexpected error')
        refuse(unexpected)
      },
    )
  }

const unreadable = toRefusal({
  ok: false,
  code: 'invalid',
  message: 'The URL of the request is not valid.',
})

const connections = new WeakMap<Server, Set<Socket>>()

/** Binds the port; a failure is returned with its reason. */
function listen(server: Server, host: string, port: number): Promise<Result<number>> {
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
      return failure('busy', `Port ${port} on ${host} is already in use.`)
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

/** Stops taking requests and lets running ones finish, for at most ten seconds. */
function drain(server: Server, limitMs = DRAIN_MS): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(() => server.closeAllConnections(), limitMs)
  const closeIdle = () => {
    server.closeIdleConnections()
    // Browsers open connections in advance. Node does not count one without a request as idle.
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
  }
  // A connection whose last request has finished would be kept alive for another one, so idle ones are closed again
  // and again.
  const look = setInterval(closeIdle, LOOK_EVERY_MS)
  server.close(() => {
    clearTimeout(limit)
    clearInterval(look)
    resolve()
  })
  closeIdle()
  return promise
}
