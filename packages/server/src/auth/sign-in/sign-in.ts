import type { Team } from '@panoptes/engine/store'
import { type Config, failure, type Result, success } from '@panoptes/schema'
import { type Cookie, createCookie } from '../../credentials.ts'
import { type Admission, admit } from './admission.ts'
import { createProvider, type UserClaims } from './provider.ts'
import { createSealer } from './sealed-state.ts'

/** Sign-in with an OpenID Connect provider. */
export interface SignIn {
  /** The name of the provider that the sign-in page shows. */
  readonly provider: string
  readonly begin: (to: string | null) => Promise<Result<{ readonly url: string; readonly cookie: string }>>
  readonly finish: (search: string, sealed: string | undefined) => Promise<Result<FinishedSignIn>>
  /** The cookie of a browser that is at the provider. */
  readonly cookie: Cookie
}

export interface FinishedSignIn {
  readonly to: string
  readonly claims: UserClaims
  readonly admitted: Admission
}

const ON_THE_WAY_S = 600

/** Accepts only a path of this server. The pattern leaves no room for another host, however a browser reads it. */
export const toOwnPath = (to: string | null | undefined): string =>
  to !== null && to !== undefined && /^\/(?:[\w.~-][\w.~/-]*)?$/.test(to) && !to.includes('//') ? to : '/'

export function createSignIn(
  team: Team,
  config: Config,
  env: NodeJS.ProcessEnv,
  address: string,
): Result<SignIn | undefined> {
  const { sign_in: wanted, public_url } = config.team
  if (wanted === null) return success(undefined)
  const { client_secret_env: variable, issuer, client_id } = wanted
  const secret = variable === null ? undefined : env[variable]
  if (variable !== null && !secret)
    return failure(
      'invalid',
      `team.sign_in.client_secret_env names the variable ${variable}, which is not set. Set it to the client secret, or remove the setting if the client is public.`,
    )
  const callback = new URL('/auth/callback', public_url ?? address).href
  const provider = createProvider({ issuer, clientId: client_id, clientSecret: secret, callback })
  const sealer = createSealer(team)
  const cookie = createCookie('panoptes_on_the_way', 'Lax', public_url)
  return success({
    provider: new URL(issuer).host,
    cookie,
    begin: async (to) => {
      const begun = await provider.begin()
      if (!begun.ok) return begun
      const { url, ...pending } = begun.value
      const sealed = await sealer.seal({
        ...pending,
        to: toOwnPath(to),
        until: Date.now() + ON_THE_WAY_S * 1_000,
      })
      return sealed.ok ? success({ url, cookie: cookie.set(sealed.value, ON_THE_WAY_S) }) : sealed
    },
    finish: async (search, sealed) => {
      const begun = await sealer.open(sealed)
      if (!begun.ok) return begun
      if (!begun.value)
        return failure(
          'invalid',
          'This browser did not start this sign-in, or started it more than ten minutes ago.',
        )
      const claims = await provider.finish(search, begun.value)
      if (!claims.ok) return claims
      const admitted = await admit(team, wanted, claims.value)
      if (!admitted.ok) return admitted
      return success({ to: begun.value.to, claims: claims.value, admitted: admitted.value })
    },
  })
}
