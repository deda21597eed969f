import type { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Intake } from '@panoptes/engine/capture'
import type { Paths, Tokens } from '@panoptes/engine/home'
import type { Conflicts, Requests } from '@panoptes/engine/live'
import type { HubPart } from '@panoptes/schema'
import type { Answered } from './answered.ts'
import type { Credentials } from './credentials.ts'
import type { Flow } from './flow.ts'
import type { Ingest } from './ingest.ts'
import type { Links } from './links.ts'
import type { Gauge, Histogram } from './metrics.ts'
import type { ServerOptions } from './options.ts'
import type { Page } from './page.ts'
import type { People } from './people/people.ts'
import type { Stream } from './stream/stream.ts'
import type { Webhooks } from './webhooks.ts'
import type { Works } from './work.ts'

/** What the routes work with. */
export interface Kit {
  readonly options: ServerOptions
  /** Of the home, whichever space is served. */
  readonly home: Paths
  readonly space: string
  readonly address: string
  readonly startedAt: number
  readonly tokens: Tokens
  readonly credentials: Credentials
  readonly links: Links
  readonly flow: Flow
  readonly stream: Stream
  readonly intake: Intake
  readonly ingest: Ingest
  readonly requests: Requests
  readonly conflicts: Conflicts
  readonly webhooks: Webhooks
  /** What the inputs beside HTTP tell of themselves. */
  readonly gauges: readonly (() => readonly Gauge[])[]
  readonly appendTime: Histogram
  readonly loopDelay: ReturnType<typeof monitorEventLoopDelay>
  readonly answered: Answered
  readonly works: Works
  readonly page: Page
  /** Who is in the team; nobody on a computer of one's own. */
  readonly people: People | undefined
  readonly readiness: () => Promise<Readiness>
}

/** Whether requests should be sent here, and what does not answer. */
export interface Readiness {
  /** Why nothing should be sent here now; null where something can be done. */
  readonly because: string | null
  readonly takesEvents: boolean
  readonly away: readonly HubPart[]
}
