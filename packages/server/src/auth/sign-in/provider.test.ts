import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProvider, type Provider } from './provider.ts'
import type { SignInState } from './sealed-state.ts'

const CLIENT = 'panoptes'

interface Signer {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const newKey = (kid: string): Signer => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(claims: object, { kid, privateKey }: Signer, header: object = {}): string {
  const text = `${part({ alg: 'ES256', kid, ...header })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

let server: Server
let issuer: string
let keys: Signer[]
/** The token response of the provider. */
let idToken: string
let provider: Provider
let begun: SignInState

beforeEach(async () => {
  keys = [newKey('one')]
  server = createServer(({ url }, response) => {
    const json = (value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url === '/.well-known/openid-configuration')
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256'],
      })
    if (url === '/keys')
      return json({
        keys: keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid })),
      })
    return json({ access_token: 'a', token_type: 'bearer', id_token: idToken })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  provider = createProvider({
    issuer,
    clientId: CLIENT,
    clientSecret: 'the secret of the client',
    callback: 'http://127.0.0.1:1/auth/callback',
  })
  const started = await provider.begin()
  if (!started.ok) throw new Error(started.message)
  begun = { ...started.value, to: '/', until: Number.POSITIVE_INFINITY }
})
afterEach(
  () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }),
)

const seconds = (from = 0): number => Math.floor(Date.now() / 1_000) + from
const claims = (more: object = {}) => ({
  iss: issuer,
  sub: 'ada',
  aud: CLIENT,
  exp: seconds(300),
  iat: seconds(),
  nonce: begun.nonce,
  email: 'ada@example.test',
  email_verified: true,
  ...more,
})
const key = (): Signer => keys[0] as Signer
const finish = (token: string) => {
  idToken = token
  return provider.finish(`?code=c&state=${begun.state}`, begun)
}
const REFUSED = { ok: false, code: 'invalid' }

describe('an ID token', () => {
  it("is accepted with the provider's signature", async () => {
    expect(await finish(signed(claims(), key()))).toEqual({
      ok: true,
      value: { subject: `${issuer} ada`, email: 'ada@example.test', verified: true, name: '' },
    })
  })

  it('is refused if another key signed it, whatever key id it names', async () => {
    expect(await finish(signed(claims(), newKey('one')))).toMatchObject(REFUSED)
    expect(await finish(signed(claims(), newKey('two')))).toMatchObject(REFUSED)
  })

  it('is refused if it was changed after signing', async () => {
    const [header, , signature] = signed(claims(), key()).split('.')
    expect(await finish(`${header}.${part(claims({ sub: 'eve' }))}.${signature}`)).toMatchObject(REFUSED)
  })

  it('is refused without a signature, even if the provider lists the algorithm `none`', async () => {
    const bare = `${part({ alg: 'none' })}.${part(claims())}.`
    expect(await finish(bare)).toMatchObject(REFUSED)
    expect(await finish(`${part({ alg: 'none', kid: 'one' })}.${part(claims())}.AAAA`)).toMatchObject(REFUSED)
  })

  it.each([
    ['the secret of the client', () => 'the secret of the client'],
    ['the public key as a secret', () => key().publicKey.export({ type: 'spki', format: 'pem' })],
  ])('is refused with the symmetric signature %s', async (_, secret) => {
    const text = `${part({ alg: 'HS256', kid: 'one' })}.${part(claims())}`
    const signature = createHmac('sha256', secret()).update(text).digest('base64url')
    expect(await finish(`${text}.${signature}`)).toMatchObject(REFUSED)
  })

  it('is accepted with a new key as soon as the provider publishes it, and refused with the old one', async () => {
    const old = key()
    expect(await finish(signed(claims(), old))).toMatchObject({ ok: true })
    const next = newKey('two')
    keys = [old, next]
    expect(await finish(signed(claims(), next))).toMatchObject({ ok: true })
    keys = [next]
    expect(await finish(signed(claims(), old))).toMatchObject(REFUSED)
  })

  it.each<[string, () => object]>([
    ['another issuer', () => ({ iss: 'https://evil.test' })],
    ['another audience', () => ({ aud: 'another-client' })],
    ['another authorized party', () => ({ aud: [CLIENT, 'another-client'], azp: 'another-client' })],
    ['several audiences and no authorized party', () => ({ aud: [CLIENT, 'another-client'] })],
    ['an end that is over', () => ({ exp: seconds(-120) })],
    ['no end', () => ({ exp: undefined })],
    ['a beginning that is to come', () => ({ nbf: seconds(120) })],
    ['another nonce', () => ({ nonce: 'made-up' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['no time of issue', () => ({ iat: undefined })],
    ['a time of issue that is no number', () => ({ iat: '1' })],
    ['a time of issue that is to come', () => ({ iat: seconds(600) })],
    ['a time of issue long ago', () => ({ iat: seconds(-3_600) })],
  ])('is refused with %s', async (_, wrong) => {
    expect(await finish(signed(claims(wrong()), key()))).toMatchObject(REFUSED)
  })
})
