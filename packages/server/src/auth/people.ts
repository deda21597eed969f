import type { Team } from '@panoptes/engine/store'
import type { Cookie } from '../credentials.ts'
import type { Audit } from './audit.ts'
import type { Identities } from './identities.ts'
import type { UnderWay } from './in-flight-responses.ts'
import type { Senders } from './senders.ts'
import type { SignIn } from './sign-in/sign-in.ts'

/** The people of a team, as the routes of a hub use them. */
export interface People {
  readonly team: Team
  readonly identities: Identities
  readonly audit: Audit
  /** Long responses end when their caller loses access. */
  readonly underWay: UnderWay
  readonly senders: Senders
  /** The cookie of a signed-in browser. */
  readonly cookie: Cookie
  /** Somebody's rights changed: drops cached identities and checks open streams and responses at once. */
  readonly changed: () => void
  /** Sign-in with an OpenID Connect provider, if the config names one. */
  readonly signIn: SignIn | undefined
  /** The space of the agents on the hub's own computer. */
  readonly home: string
  readonly madeSpace: (name: string) => void
}
