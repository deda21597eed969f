import type { Team } from '@panoptes/engine/store'
import type { Cookie } from '../credentials.ts'
import type { Audit } from './audit.ts'
import type { Identities } from './identities.ts'
import type { InFlightResponses } from './in-flight-responses.ts'
import type { Senders } from './senders.ts'
import type { SignIn } from './sign-in/sign-in.ts'

/** The people of a team, as the routes of a hub use them. */
export interface People {
  readonly team: Team
  readonly identities: Identities
  readonly audit: Audit
  /** Long responses end when their caller loses access. */
  readonly inFlight: InFlightResponses
  readonly senders: Senders
  /** The cookie of a signed-in browser. */
  readonly cookie: Cookie
  /** Somebody's rights changed: drops cached identities and checks open streams and responses at once. */
  readonly recheckAccess: () => void
  /** Sign-in with an OpenID Connect provider, if the config names one. */
  readonly signIn: SignIn | undefined
  /** The space of the agents on the hub's own computer. */
  readonly home: string
  readonly openSpace: (name: string) => void
}
