import type { Team } from '@panoptes/engine/ledger'
import type { Audit } from './audit.ts'
import type { Cookie } from './cookies.ts'
import type { Identities } from './identities.ts'
import type { Senders } from './senders.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import type { UnderWay } from './under-way.ts'

/** What a hub knows of people, for its routes. */
export interface People {
  readonly team: Team
  readonly identities: Identities
  readonly audit: Audit
  /** Long answers end when who asked for them may not have them any more. */
  readonly underWay: UnderWay
  readonly senders: Senders
  /** That of a signed-in browser. */
  readonly cookie: Cookie
  /** What anybody may do has changed: nothing that was known holds, and streams and long answers are looked at now. */
  readonly changed: () => void
  /** With a provider of OpenID Connect, where the config names one. */
  readonly signIn: SignIn | undefined
  /** The space that agents of this computer are in. */
  readonly home: string
  readonly madeSpace: (name: string) => void
}
