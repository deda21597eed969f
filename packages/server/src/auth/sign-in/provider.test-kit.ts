import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** A person with an account at the provider. */
export interface Account {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
  readonly name: string
}

export interface TestProvider {
  readonly issuer: string
  /** Sets the person who signs in from now on. */
  readonly sits: (account: Account) => void
  /** Hubs that may use this provider. */
  readonly knows: (callback: string) => void
  readonly stop: () => Promise<void>
}

export const CLIENT = { client_id: 'panoptes', client_secret: 'a secret of this test alone' }

/** A real OpenID provider on loopback that signs everybody in as the current person. */
export async function startProvider(): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accounts = new Map<string, Account>()
  const callbacks: string[] = []
  let sitting: Account | undefined
  // The provider reads its clients once, so all of them must be registered before the first request.
  let provider: Provider | undefined
  const current = (): Provider => {
    provider ??= new Provider(issuer, {
      clients: [
        {
          ...CLIENT,
          redirect_uris: [...callbacks],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: true,
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
      cookies: { keys: ['cookies of this test alone'] },
      findAccount: (_ctx, id) => {
        const account = accounts.get(id)
        return account && { accountId: id, claims: () => ({ ...account }) }
      },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    })
    return provider
  }
  const finish = async (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) {
      void current().callback()(request, response)
      return
    }
    const { params, prompt, session } = await current().interactionDetails(request, response)
    const accountId = session?.accountId ?? sitting?.sub ?? ''
    if (prompt.name === 'login') {
      await current().interactionFinished(request, response, { login: { accountId } })
      return
    }
    const grant = new (current().Grant)({ accountId, clientId: String(params.client_id) })
    grant.addOIDCScope('openid email profile')
    await current().interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
  server.on('request', (request, response) => {
    // Inside a frame the browser sends no cookie, so nobody can sign in.
    finish(request, response).catch(() => response.writeHead(400).end())
  })
  return {
    issuer,
    sits: (account) => {
      accounts.set(account.sub, account)
      sitting = account
    },
    knows: (callback) => callbacks.push(callback),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A minimal browser: it follows redirects, and keeps cookies per host and port. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>()
  /** Every URL that it was redirected to. */
  readonly seen: string[] = []

  cookies(url: string): Map<string, string> {
    const { origin } = new URL(url)
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    this.seen.push(url)
    const jar = this.cookies(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...init.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      const value = pair.slice(at + 1)
      if (value === '' || /max-age=0(?:;|$)/i.test(line)) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), value)
    }
    return answer
  }

  /** Follows redirects until there is none, or until one leads to a URL where it should stop. */
  async go(
    url: string,
    until: (next: string) => boolean = () => false,
  ): Promise<{ answer: Response; at: string }> {
    let at = url
    for (let steps = 0; steps < 20; steps += 1) {
      const answer = await this.ask(at)
      const location = answer.headers.get('location')
      if (location === null) return { answer, at }
      const next = new URL(location, at).href
      if (until(next)) return { answer, at: next }
      at = next
    }
    throw new Error(`sent on without an end: ${at}`)
  }
}
