import type { HttpBindings } from '@hono/node-server'
import type { Bus } from '@panoptes/engine/bus'
import type { Intake } from '@panoptes/engine/capture'
import type { Browsers, Paths, Tokens } from '@panoptes/engine/home'
import type { Conflicts, Requests } from '@panoptes/engine/live'
import type { HubPart } from '@panoptes/schema'
import type { NeedOf } from './access.ts'
import type { Proxies } from './auth/client-address.ts'
import type { People } from './auth/people.ts'
import type { Caller, RequestHead } from './authenticate.ts'
import type { Confirmations } from './confirmations.ts'
import type { Sharing } from './cors.ts'
import type { Credentials } from './credentials.ts'
import type { AllowedHosts } from './hosts.ts'
import type { Ingest } from './ingest.ts'
import type { LoopDelay } from './loop-delay.ts'
import type { Gauge, Histogram, RequestMetrics } from './metrics.ts'
import type { HttpServerOptions, RunningSpace, ServerOptions } from './options.ts'
import type { SignInLinks } from './sign-in.ts'
import type { Page } from './static-files.ts'
import type { Stream } from './stream/stream.ts'
import type { Flow } from './throughput.ts'
import type { Webhooks } from './webhooks.ts'
import type { WorkRunner } from './work.ts'

/**
 * Everything that the routes of one space work with. This file holds only types, so that every route can import it
 * without a cycle.
 */
export interface AppContext {
  readonly options: ServerOptions
  /** The home's own folder layout, whichever space is served. */
  readonly home: Paths
  readonly space: string
  readonly address: string
  readonly startedAt: number
  readonly tokens: Tokens
  readonly credentials: Credentials
  readonly browsers: Browsers
  readonly confirmations: Confirmations
  readonly links: SignInLinks
  readonly flow: Flow
  readonly stream: Stream
  readonly intake: Intake
  readonly ingest: Ingest
  readonly requests: Requests
  readonly conflicts: Conflicts
  readonly webhooks: Webhooks
  /** Readers for the gauges of other inputs, such as the spool and the bus. */
  readonly gauges: readonly (() => readonly Gauge[])[]
  readonly appendTime: Histogram
  readonly loopDelay: LoopDelay
  readonly requestMetrics: RequestMetrics
  readonly workRunner: WorkRunner
  readonly page: Page
  /** The team's people; undefined for the server of a single computer. */
  readonly people: People | undefined
  readonly readiness: () => Promise<Readiness>
}

/** Whether load balancers should send requests here, and which parts of the hub are missing. */
export interface Readiness {
  /** Why no requests should be sent here now. Null while this server can answer some of them. */
  readonly because: string | null
  /** What to do about it if waiting is not enough. */
  readonly next?: string | undefined
  readonly takesEvents: boolean
  readonly away: readonly HubPart[]
}

/** The HTTP server and what all spaces behind it share. */
export interface ServerContext {
  readonly options: HttpServerOptions
  readonly port: number
  readonly address: string
  readonly startedAt: number
  readonly tokens: Tokens
  readonly credentials: Credentials
  readonly browsers: Browsers
  readonly confirmations: Confirmations
  readonly links: SignInLinks
  readonly page: Page
  readonly hosts: AllowedHosts
  readonly proxies: Proxies
  readonly loopDelay: LoopDelay
  readonly requestMetrics: RequestMetrics
  readonly people: People | undefined
}

/** One served space: its routes, its stream and its way into the store. */
export interface SpaceServer {
  readonly space: string
  readonly needOf: NeedOf
  readonly sharing: Sharing
  readonly router: Router
  readonly stream: Stream
  readonly bus: Bus | undefined
  readonly running: Omit<RunningSpace, 'close'>
  /** Ends streams and open permission requests, so that no client is left waiting. */
  readonly end: () => Promise<void>
  /** Stops background work. It is called after the last request. */
  readonly stop: () => void
}

/** An authorized request. The router passes it on to the route. */
export interface PassedRequest extends HttpBindings {
  readonly requestId: string
  readonly caller: Caller | undefined
  /** Names the target of the request for the audit log. */
  readonly setTarget: (target: string) => void
  readonly requestHead: RequestHead
}

interface Router {
  readonly fetch: (request: Request, passed: PassedRequest) => Response | Promise<Response>
}
