import type { Achievements } from '@panoptes/engine/achievements'
import type { Bus } from '@panoptes/engine/bus'
import type { Intake } from '@panoptes/engine/capture'
import type { Chat } from '@panoptes/engine/chat'
import type { Paths } from '@panoptes/engine/home'
import type { Bypass } from '@panoptes/engine/markers'
import type { Moa, MoaService } from '@panoptes/engine/moa'
import type { Providers } from '@panoptes/engine/models'
import type { Review } from '@panoptes/engine/outcomes'
import type { Sessions } from '@panoptes/engine/sessions'
import type { EventStore, Team, Transcripts } from '@panoptes/engine/store'
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

/** Options of the whole process, whichever spaces it serves. */
export interface HttpServerOptions {
  /** The layout of the home folder. */
  readonly paths: Paths
  readonly config: Config
  readonly version: string
  /** The command as the user types it; `panoptes` by default. */
  readonly command?: string
  /** Rewrites commands in a text to how the user types them here; by default the text stays unchanged. */
  readonly rewriteCommands?: (text: string) => string
  readonly host: string
  readonly port: number
  /** The folder of the built page; null serves only the API. */
  readonly page: string | null
  readonly log: Logger
  /** The user asked for this host by name, so it may be one that other computers reach. */
  readonly allowRemote?: boolean
  /** Called once, after `POST /api/stop` was answered. */
  readonly onStop?: () => void
}

/**
 * What one space is served from: its store and the engine modules over it. A module that is missing turns its
 * routes off.
 */
export interface SpaceServerOptions {
  readonly store: EventStore
  /** Takes events from HTTP and announces stored ones; without a bus the store does both. */
  readonly bus?: Bus | undefined
  /** Takes session files of other computers. Only a hub has it. */
  readonly transcripts?: Transcripts | undefined
  /** The sessions that agents left behind; without it the server knows only events. */
  readonly sessions?: Sessions | undefined
  /** Achievements over all sessions. */
  readonly achievements?: Achievements | undefined
  /** Templates from good sessions, for new ones. */
  readonly templates?: Templates | undefined
  /** Outcomes of agents, skills and claims. */
  readonly review?: Review | undefined
  /** Model providers, and presets that combine several models. */
  readonly providers?: Providers | undefined
  readonly moa?: Moa | undefined
  /** What people store about turns and presets. */
  readonly moaService?: MoaService | undefined
  /** Conversations with any runtime. */
  readonly chat?: Chat | undefined
  /** Removes sessions from everything that is stored. */
  readonly forget?: ((sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>>) | undefined
  /** The settings of this process's environment that exclude sessions from recording. */
  readonly bypass?: Bypass | undefined
  /** Sends events to a hub; absent where the server never forwards. */
  readonly forward?: ServedForward | undefined
  /** The folder of the space; on a single computer that of the home. */
  readonly paths: Paths
  readonly discover: () => Promise<readonly FoundSource[]>
  readonly diagnose: () => Promise<readonly HealthCheck[]>
}

export interface ServedForward {
  /** Null if `forward.to` names no hub. */
  readonly status: () => Promise<ForwardStatus | null>
  /** Reads the settings of `forward` again. */
  readonly reload: (fromStart: boolean) => Promise<Result<ForwardStatus | null>>
}

/** Options of the server of one computer: one HTTP server and one space. */
export interface ServerOptions extends HttpServerOptions, SpaceServerOptions {}

export interface HubOptions extends HttpServerOptions {
  readonly team: Team
  /** The environment that holds the client secret for sign-in. */
  readonly env?: NodeJS.ProcessEnv | undefined
  /** Called after a space was created here, so that the hub can open it. */
  readonly onSpace?: ((name: string) => void) | undefined
}

export interface RunningSpace {
  /** Returns a link that signs a browser in, once, within ten minutes. */
  readonly link: () => string
  /** The way into the store for inputs other than HTTP. */
  readonly intake: Intake
  /** Adds gauges of another input to the metrics. */
  readonly addGauges: (read: () => readonly Gauge[]) => void
  /** Stops taking requests, lets running ones finish, closes every stream, then resolves. */
  readonly close: () => Promise<void>
}

export interface RunningServer extends RunningSpace {
  readonly port: number
  /** Such as `http://127.0.0.1:8201`, without a trailing slash. */
  readonly address: string
}

export interface RunningHub {
  readonly port: number
  readonly address: string
  /** The URL of the bound address, such as `http://0.0.0.0:8201`. */
  readonly listens: string
  /** Starts to answer requests for this space; `invalid` if the space is served already. */
  readonly addSpace: (space: string, options: SpaceServerOptions) => Promise<Result<RunningSpace>>
  readonly removeSpace: (space: string) => Promise<void>
  /** Closes all spaces as a server closes its own. The team stays open. */
  readonly close: () => Promise<void>
}
