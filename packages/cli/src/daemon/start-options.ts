import type { Paths } from '@panoptes/engine/home'
import type { ReviewOptions } from '@panoptes/engine/outcomes'
import type { StoreLocation } from '@panoptes/engine/store'
import type { Config } from '@panoptes/schema'
import type { PreparedPage } from '../page/index.ts'

/** The home: its files, settings and store. */
export interface Home {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  /** The location of the store, by default a file in the home. */
  readonly place?: StoreLocation | undefined
  /** The polling intervals of the outcomes, by default the usual ones. */
  readonly reviewPacing?: ReviewOptions['pacing']
}

export interface StartOptions extends Home {
  /** The address of a bus in front of the store. */
  readonly bus?: string | null | undefined
  readonly host: string
  readonly port: number
  /** Whether the host was named on the command line. */
  readonly allowRemote: boolean
  readonly page: Promise<PreparedPage>
  /** Whether only posted events are accepted and agents are not judged, as in a demo. */
  readonly onlyPosted?: boolean
  /** The command that started Panoptes, without the port. */
  readonly command?: string
  /** Called when somebody requests a stop over HTTP. */
  readonly onStop: () => void
}
