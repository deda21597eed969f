import { isLoopback } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import * as openid from 'openid-client'
import type { SignInState } from './sealed-state.ts'

export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The URL that the provider redirects people back to. */
  readonly callback: string
}

/** Who somebody is, according to the provider. */
export interface UserClaims {
  readonly subject: string
  readonly email: string | null
  /** Only a verified address is certain to be theirs. */
  readonly verified: boolean
  readonly name: string
}

export interface Provider {
  /** The URL to send the browser to, and the values that have to come back with it. */
  readonly begin: () => Promise<
    Result<{ readonly url: string } & Pick<SignInState, 'state' | 'nonce' | 'verifier'>>
  >
  /**
   * Returns `invalid` when the callback does not match its start or is too old, and `denied` when the provider
   * rejects this hub.
   */
  readonly finish: (search: string, begun: SignInState) => Promise<Result<UserClaims>>
}

const SCOPE = 'openid email profile'
const TIMEOUT_S = 10
const FRESH_MS = 3_600_000
/**
 * How far the clocks of hub and provider may differ. The provider issues the ID token during the request, so a
 * clock that runs behind would reject it.
 */
const MOST_AGE_S = 300

export function createProvider(options: ProviderOptions): Provider {
  const { issuer, clientId, clientSecret, callback } = options
  let cached: { readonly at: number; readonly settings: Promise<openid.Configuration> } | undefined

  const server = new URL(issuer)
  const isInsecure = server.protocol === 'http:' && isLoopback(server.hostname.replace(/^\[|\]$/g, ''))
  const authentication = clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret)

  const discover = (...execute: readonly ((settings: openid.Configuration) => void)[]) =>
    openid.discovery(server, clientId, undefined, authentication, {
      timeout: TIMEOUT_S,
      execute: [...(isInsecure ? [openid.allowInsecureRequests] : []), ...execute],
    })

  const settings = (): Promise<openid.Configuration> => {
    if (cached && Date.now() - cached.at < FRESH_MS) return cached.settings
    const found = discover()
    const entry = { at: Date.now(), settings: found }
    cached = entry
    found.catch(() => {
      if (cached === entry) cached = undefined
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
        return failure('io', `${issuer} cannot be reached: ${formatError(error)}`)
      }
    },
    finish: async (search, { state, nonce, verifier }) => {
      try {
        // A new discovery is needed: the settings cache the signing keys, and a new key would be rejected for as
        // long.
        const configuration = await discover(openid.enableNonRepudiationChecks)
        const tokens = await openid.authorizationCodeGrant(configuration, new URL(callback + search), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) return failure('invalid', 'The provider did not say who signed in.')
        if (Math.abs(Date.now() / 1_000 - claims.iat) > MOST_AGE_S)
          return failure(
            'invalid',
            'The time in the ID token is more than five minutes from the time of this hub. Compare the clocks of the hub and the provider.',
          )
        // Some providers return the email address only from the userinfo endpoint.
        const more =
          claims.email === undefined && configuration.serverMetadata().userinfo_endpoint
            ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : claims
        return success({
          subject: `${claims.iss} ${claims.sub}`,
          email: typeof more.email === 'string' ? more.email : null,
          verified: more.email_verified === true,
          name: typeof more.name === 'string' ? more.name : '',
        })
      } catch (error) {
        return failure(isOfHub(error) ? 'denied' : 'invalid', formatError(error))
      }
    },
  }
}

/** The provider rejects this hub as a client, not what the browser brought. */
const isOfHub = (error: unknown): boolean =>
  error instanceof openid.WWWAuthenticateChallengeError ||
  (error instanceof openid.ResponseBodyError && error.error !== 'invalid_grant')

/** Describes a failure, with the provider's own error text. */
function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const from = error instanceof openid.WWWAuthenticateChallengeError ? error.cause[0]?.parameters : error
  const { error: code, error_description: description } = (from ?? {}) as Readonly<Record<string, unknown>>
  const more = [code, description].filter((each) => typeof each === 'string' && each !== '')
  return [error.message, ...more].join(': ')
}
