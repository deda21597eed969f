import { isLoopback } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import * as openid from 'openid-client'
import type { UnderWay } from './sealed.ts'

export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** Where the provider sends people back to. */
  readonly callback: string
}

/** Who somebody is, as their provider says. */
export interface Told {
  readonly subject: string
  readonly email: string | null
  /** Only then is the address theirs for certain. */
  readonly verified: boolean
  readonly name: string
}

export interface Provider {
  /** Where the browser goes, and what has to come back with it. */
  readonly begin: () => Promise<
    Result<{ readonly url: string } & Pick<UnderWay, 'state' | 'nonce' | 'verifier'>>
  >
  /** `invalid` where what came back is not what was begun, or is too old; `denied` where the provider will not have this hub. */
  readonly finish: (search: string, begun: UnderWay) => Promise<Result<Told>>
}

const SCOPE = 'openid email profile'
const TIMEOUT_S = 10
const FRESH_MS = 3_600_000

export function createProvider(options: ProviderOptions): Provider {
  const { issuer, clientId, clientSecret, callback } = options
  let known: { readonly at: number; readonly settings: Promise<openid.Configuration> } | undefined

  const settings = (): Promise<openid.Configuration> => {
    if (known && Date.now() - known.at < FRESH_MS) return known.settings
    const server = new URL(issuer)
    const insecure = server.protocol === 'http:' && isLoopback(server.hostname.replace(/^\[|\]$/g, ''))
    const found = openid.discovery(
      server,
      clientId,
      undefined,
      clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret),
      { timeout: TIMEOUT_S, ...(insecure ? { execute: [openid.allowInsecureRequests] } : {}) },
    )
    const asked = { at: Date.now(), settings: found }
    known = asked
    found.catch(() => {
      if (known === asked) known = undefined
    })
    return found
  }

  return {
    begin: async () => {
      try {
        const verifier = openid.randomPKCECodeVerifier()
        const begun = { state: openid.randomState(), nonce: openid.randomNonce() }
        const url = openid.buildAuthorizationUrl(await settings(), {
          redirect_uri: callback,
          scope: SCOPE,
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...begun,
        })
        return success({ url: url.href, verifier, ...begun })
      } catch (error) {
        return failure('io', `${issuer} cannot be asked: ${wordsOf(error)}`)
      }
    },
    finish: async (search, { state, nonce, verifier }) => {
      try {
        const asked = await settings()
        const tokens = await openid.authorizationCodeGrant(asked, new URL(callback + search), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) return failure('invalid', 'The provider said nothing of who it was.')
        // Some tell the address only when they are asked for it.
        const more =
          claims.email === undefined && asked.serverMetadata().userinfo_endpoint
            ? await openid.fetchUserInfo(asked, tokens.access_token, claims.sub)
            : claims
        return success({
          subject: `${claims.iss} ${claims.sub}`,
          email: typeof more.email === 'string' ? more.email : null,
          verified: more.email_verified === true,
          name: typeof more.name === 'string' ? more.name : '',
        })
      } catch (error) {
        return failure(isOfHub(error) ? 'denied' : 'invalid', wordsOf(error))
      }
    },
  }
}

/** The provider refuses who asks, and not what a browser brought. */
const isOfHub = (error: unknown): boolean =>
  error instanceof openid.WWWAuthenticateChallengeError ||
  (error instanceof openid.ResponseBodyError && error.error !== 'invalid_grant')

/** What went wrong, with what the provider itself says of it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const from = error instanceof openid.WWWAuthenticateChallengeError ? error.cause[0]?.parameters : error
  const { error: code, error_description: said } = (from ?? {}) as Readonly<Record<string, unknown>>
  const more = [code, said].filter((each) => typeof each === 'string' && each !== '')
  return [error.message, ...more].join(': ')
}
