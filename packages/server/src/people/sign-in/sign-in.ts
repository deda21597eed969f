import type { Team } from '@panoptes/engine/ledger'
import { type Config, failure, type Result, success } from '@panoptes/schema'
import { type Cookie, createCookie } from '../cookies.ts'
import { type Admitted, admit } from './admit.ts'
import { createProvider, type Told } from './provider.ts'
import { createSealer } from './sealed.ts'

/** How people come in with a provider of OpenID Connect. */
export interface SignIn {
  /** The name of the provider, as people know it. */
  readonly provider: string
  readonly begin: (to: string | null) => Promise<Result<{ readonly url: string; readonly cookie: string }>>
  readonly finish: (search: string, sealed: string | undefined) => Promise<Result<Finished>>
  /** That of a browser that is on its way. */
  readonly cookie: Cookie
}

export interface Finished {
  readonly to: string
  readonly told: Told
  readonly admitted: Admitted
}

const ON_THE_WAY_S = 600

/** Only a path of this server, whatever a browser makes of it: no name of another host has room in it. */
export const ownPath = (to: string | null | undefined): string =>
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
      `team.sign_in.client_secret_env names ${variable}, and that is not set in the environment. Set it to the secret of the client, or take the setting out for a public client.`,
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
      const { url, ...kept } = begun.value
      const sealed = await sealer.seal({ ...kept, to: ownPath(to), until: Date.now() + ON_THE_WAY_S * 1_000 })
      return sealed.ok ? success({ url, cookie: cookie.set(sealed.value, ON_THE_WAY_S) }) : sealed
    },
    finish: async (search, sealed) => {
      const begun = await sealer.open(sealed)
      if (!begun.ok) return begun
      if (!begun.value) return failure('invalid', 'This browser did not begin to sign in within ten minutes.')
      const told = await provider.finish(search, begun.value)
      if (!told.ok) return told
      const admitted = await admit(team, wanted, told.value)
      if (!admitted.ok) return admitted
      return success({ to: begun.value.to, told: told.value, admitted: admitted.value })
    },
  })
}
