import { describe, expect, it } from 'vitest'
import { parseRetryAfter, refused, unreachable } from './problem.ts'

const HUB = new URL('https://hub.example')
const failing = (code: string, message = 'it broke') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

describe('an unreachable hub', () => {
  it.each([
    ['ENOTFOUND', 'unreachable', 'The host name hub.example cannot be resolved'],
    ['EAI_AGAIN', 'unreachable', 'The host name hub.example cannot be resolved'],
    ['ECONNREFUSED', 'unreachable', 'Nothing answers at hub.example'],
    ['ECONNRESET', 'unreachable', 'The connection to hub.example broke'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'No secure connection to hub.example'],
    ['CERT_HAS_EXPIRED', 'tls', 'No secure connection to hub.example'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'No secure connection to hub.example'],
  ])('is explained for %s', (code, kind, words) => {
    const trouble = unreachable(failing(code), HUB, 1_000)
    expect(trouble).toMatchObject({ kind, message: expect.stringContaining(words) })
    expect(trouble.next).not.toBe('')
  })

  it('is explained by the last of several addresses', () => {
    const both = new AggregateError([failing('EHOSTUNREACH'), failing('ECONNREFUSED')])
    const tried = new TypeError('fetch failed', { cause: both })
    expect(unreachable(tried, HUB, 1_000).message).toContain('ECONNREFUSED')
  })

  it('is explained by its silence after a timeout', () => {
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    expect(unreachable(late, HUB, 60_000)).toMatchObject({
      kind: 'silent',
      message: 'hub.example did not answer within 60 s',
    })
  })
})

describe('a refusal', () => {
  const refusal = (status: number, byHub = true, code = '') =>
    refused(
      { status, byHub, code, detail: 'so it is', advice: byHub ? 'Do this.' : '', retryAfter: null },
      HUB,
    )

  it.each([
    [401, 'token'],
    [403, 'token'],
    [404, 'address'],
    [421, 'address'],
    [302, 'address'],
    [413, 'too_large'],
    [429, 'busy'],
    [500, 'busy'],
    [503, 'busy'],
    [400, 'invalid'],
    [422, 'invalid'],
  ])('with status %i is %s', (status, kind) => {
    expect(refusal(status).kind).toBe(kind)
  })

  it('never blames an event when a proxy sent it', () => {
    expect(refusal(400, false).kind).toBe('address')
    expect(refusal(422, false).kind).toBe('address')
  })

  it('repeats the advice of the hub', () => {
    expect(refusal(421)).toMatchObject({ next: 'On the hub: Do this.' })
    expect(refusal(404, false).next).toBe(
      'Check the address: it must be a hub that answers POST https://hub.example/events.',
    )
  })
})

describe('a token that may not send', () => {
  const next = (code: string) =>
    refused(
      { status: 403, byHub: true, code, detail: '', advice: 'Ask for the role member.', retryAfter: null },
      HUB,
    ).next

  it('is explained by the missing role or scope', () => {
    expect(next('wrong_role')).toMatch(
      /^Ask for the role member\. Or use a machine token, which does not depend on anyone's role\./,
    )
    expect(next('wrong_role')).not.toContain('needs the scope')
    expect(next('wrong_scope')).toMatch(/^The token needs the scope ingest or full\./)
    expect(next('other_token')).toBe('Ask for the role member.')
  })
})

describe('the Retry-After header', () => {
  const now = Date.UTC(2026, 10, 16, 12)
  it.each([
    ['3', 3_000],
    ['0', 0],
    ['-5', 0],
    ['99999999', 3_600_000],
    ['Mon, 16 Nov 2026 12:00:30 GMT', 30_000],
    ['Mon, 16 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('is parsed: %s', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms)
  })
})
