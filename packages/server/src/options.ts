import type { Achievements } from '@panoptes/engine/achievements'
import type { Bus } from '@panoptes/engine/bus'
import type { Intake } from '@panoptes/engine/capture'
import type { Chat } from '@panoptes/engine/chat'
import type { Paths } from '@panoptes/engine/home'
import type { Ledger, Team, Transcripts } from '@panoptes/engine/ledger'
import type { Moa, MoaRoom } from '@panoptes/engine/moa'
import type { Providers } from '@panoptes/engine/models'
import type { Review } from '@panoptes/engine/review'
import type { Sessions } from '@panoptes/engine/sessions'
import type { Bypass } from '@panoptes/engine/stated'
import type { Templates } from '@panoptes/engine/templates'
import type {
  Config,
  ForgotReply,
  ForwardStatus,
  FoundSource,
  HealthCheck,
  Result,
  SessionRef,
} from '@panoptes/schema'
import type { Logger } from 'pino'
import type { Gauge } from './metrics.ts'

/** What there is once in a process, whatever spaces it serves. */
export interface FrontOptions {
  /** Of the home. */
  readonly paths: Paths
  readonly config: Config
  readonly version: string
  /** What to type for the command here; its name where nobody says. */
  readonly command?: string
  /** A text for a person with commands as they are typed here; as it is where nobody says. */
  readonly typed?: (text: string) => string
  readonly host: string
  readonly port: number
  /** The folder of the built page; null serves the API alone. */
  readonly page: string | null
  readonly log: Logger
  /** Someone asked for this host by name, so it may be one that other machines reach. */
  readonly allowRemote?: boolean
  /** Called once, after `POST /api/stop` was answered. */
  readonly onStop?: () => void
}

/** What one space is served from: its ledger and the rooms over it. */
export interface SiteOptions {
  readonly ledger: Ledger
  /** Takes what comes in over HTTP, and tells of what is stored; without it the ledger does both. */
  readonly bus?: Bus | undefined
  /** Takes the sessions of other computers; only a hub does. */
  readonly transcripts?: Transcripts | undefined
  /** What agents left behind; without it the server knows only events. */
  readonly sessions?: Sessions | undefined
  /** What all sessions amount to. */
  readonly achievements?: Achievements | undefined
  /** What good sessions began with, for the next ones. */
  readonly templates?: Templates | undefined
  /** What agents, skills and claims amounted to. */
  readonly review?: Review | undefined
  /** Where models answer, and several of them at once. */
  readonly providers?: Providers | undefined
  readonly moa?: Moa | undefined
  /** What people do with turns and presets. */
  readonly moaRoom?: MoaRoom | undefined
  /** Conversations with any runtime. */
  readonly chat?: Chat | undefined
  /** Takes sessions out of everything that is kept of them. */
  readonly forget?: ((sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>>) | undefined
  /** What this process's environment says not to record. */
  readonly bypass?: Bypass | undefined
  /** What is sent to a hub; without it nothing is. */
  readonly forward?: ServedForward | undefined
  /** Where the files of the space are; on one computer those of the home. */
  readonly paths: Paths
  readonly discover: () => Promise<readonly FoundSource[]>
  readonly diagnose: () => Promise<readonly HealthCheck[]>
}

export interface ServedForward {
  /** Null where `forward.to` names no hub. */
  readonly status: () => Promise<ForwardStatus | null>
  /** Takes the settings of `forward` anew. */
  readonly reload: (fromStart: boolean) => Promise<Result<ForwardStatus | null>>
}

/** What the server of one computer needs: one front, one site. */
export interface ServerOptions extends FrontOptions, SiteOptions {}

export interface HubOptions extends FrontOptions {
  readonly team: Team
  /** Where the secret of the client of sign-ins is. */
  readonly env?: NodeJS.ProcessEnv | undefined
  /** A space was just made here: whoever started the hub opens its site. */
  readonly onSpace?: ((name: string) => void) | undefined
}

export interface RunningSite {
  /** A link that signs a browser in, once, within ten minutes. */
  readonly link: () => string
  /** The way into the ledger for inputs beside HTTP. */
  readonly intake: Intake
  /** Shows their figures among the metrics. */
  readonly addGauges: (read: () => readonly Gauge[]) => void
  /** Stops taking requests, lets the running ones end, tells every stream client, then resolves. */
  readonly close: () => Promise<void>
}

export interface RunningServer extends RunningSite {
  readonly port: number
  /** `http://127.0.0.1:8201`, without a trailing slash. */
  readonly address: string
}

export interface RunningHub {
  readonly port: number
  readonly address: string
  /** The address itself that it listens on, such as `http://0.0.0.0:8201`. */
  readonly listens: string
  /** From here on requests of this space are answered; `invalid` where it has a site already. */
  readonly addSite: (space: string, options: SiteOptions) => Promise<Result<RunningSite>>
  readonly removeSite: (space: string) => Promise<void>
  /** As that of a server, for all of its sites. The team stays open. */
  readonly close: () => Promise<void>
}
