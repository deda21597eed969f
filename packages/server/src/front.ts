import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getRequestListener } from '@hono/node-server'
import { isLoopback, openTokens, type Tokens, webhookSecret } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import { type Answered, createAnswered } from './answered.ts'
import { createApp } from './app.ts'
import type { FindCaller } from './callers.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { createGuard, type Sites } from './guard.ts'
import { type AllowedHosts, addressOf, allowedHosts } from './hosts.ts'
import { createLinks, type Links } from './links.ts'
import { drain, listen } from './listen.ts'
import type { FrontOptions } from './options.ts'
import { createPage, type Page } from './page.ts'
import { type Proxies, proxiesOf } from './people/addresses.ts'
import type { People } from './people/people.ts'
import { refuseUnreadable, unreadableAnswer } from './raw.ts'
import { upgradesBy } from './upgrade.ts'

/** What listens, and what all sites behind it share. */
export interface Front {
  readonly options: FrontOptions
  readonly port: number
  readonly address: string
  readonly startedAt: number
  readonly tokens: Tokens
  readonly credentials: Credentials
  readonly links: Links
  readonly page: Page
  readonly hosts: AllowedHosts
  readonly proxies: Proxies
  readonly loopDelay: ReturnType<typeof monitorEventLoopDelay>
  readonly answered: Answered
  readonly people: People | undefined
}

export interface Listener {
  readonly front: Omit<Front, 'people'>
  /** From here on requests are answered; until then they wait. */
  readonly serve: (sites: Sites, find: FindCaller, people?: People) => void
  /** Takes no more requests and lets the running ones end. */
  readonly close: () => Promise<void>
}

export async function openListener(options: FrontOptions): Promise<Result<Listener>> {
  const { host, paths, config, log } = options
  if (!isLoopback(host) && !options.allowRemote) {
    return failure(
      'invalid',
      `${host} can be reached from other computers. Ask for it by name if you want that.`,
    )
  }
  const tokens = await openTokens(paths)
  if (!tokens.ok) return tokens
  const secret = await webhookSecret(paths)
  if (!secret.ok) return secret
  const server = createServer({
    requestTimeout: 120_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 5_000,
    // Clients that would rather speak HTTP/2 offer that too; to them it is an ordinary request.
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  })
  // The port is known only after the bind, and what is allowed depends on it: until then nothing is answered.
  const bound = await listen(server, host, options.port)
  if (!bound.ok) return bound
  const port = bound.value
  const loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()
  const front: Omit<Front, 'people'> = {
    options,
    port,
    address: addressOf(host, port),
    startedAt: Date.now(),
    tokens: tokens.value,
    credentials: createCredentials(tokens.value, port),
    links: createLinks(),
    page: createPage(options.page),
    hosts: allowedHosts(host, port, config.server.allowed_hosts, config.team.public_url),
    proxies: proxiesOf(config.team.trusted_proxies),
    loopDelay,
    answered: createAnswered(),
  }
  return success({
    front,
    serve: (sites, find, people) => {
      const guard = createGuard({ hosts: front.hosts, find, sites, team: people !== undefined })
      const listener = getRequestListener(createApp({ ...front, people }, guard).fetch, {
        overrideGlobalObjects: false,
        errorHandler: unreadableAnswer,
      })
      server.on('request', (request, response) => void listener(request, response))
      server.on('upgrade', upgradesBy(guard, log, front.proxies, people?.audit))
      server.on('clientError', refuseUnreadable)
      log.info({ address: front.address }, 'listening')
    },
    close: async () => {
      await drain(server)
      loopDelay.disable()
    },
  })
}
