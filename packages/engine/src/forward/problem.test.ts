import { describe, expect, it } from 'vitest'
import { refused, unreachable, waitOf } from './problem.ts'

const HUB = new URL('https://hub.example')
const failing = (code: string, message = 'it broke') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

describe('what keeps a hub from being reached', () => {
  it.each([
    ['ENOTFOUND', 'unreachable', 'The name hub.example is not known here'],
    ['EAI_AGAIN', 'unreachable', 'The name hub.example is not known here'],
    ['ECONNREFUSED', 'unreachable', 'Nothing answers at hub.example'],
    ['ECONNRESET', 'unreachable', 'The connection to hub.example broke'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'cannot be made safe'],
    ['CERT_HAS_EXPIRED', 'tls', 'cannot be made safe'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'cannot be made safe'],
  ])('%s is told as it is', (code, kind, words) => {
    const told = unreachable(failing(code), HUB, 1_000)
    expect(told).toMatchObject({ kind, message: expect.stringContaining(words) })
    expect(told.next).not.toBe('')
  })

  it('is found in whichever of several addresses was tried last', () => {
    const both = new AggregateError([failing('EHOSTUNREACH'), failing('ECONNREFUSED')])
    const tried = new TypeError('fetch failed', { cause: both })
    expect(unreachable(tried, HUB, 1_000).message).toContain('ECONNREFUSED')
  })

  it('is its silence where the time was over', () => {
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    expect(unreachable(late, HUB, 60_000)).toMatchObject({
      kind: 'silent',
      message: 'hub.example did not answer within 60 s',
    })
  })
})

describe('what a refusal means', () => {
  const refusal = (status: number, byHub = true, code = '') =>
    refused({ status, byHub, code, said: 'so it is', advice: byHub ? 'Do this.' : '', retryAfter: null }, HUB)

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
  ])('%i is %s', (status, kind) => {
    expect(refusal(status).kind).toBe(kind)
  })

  it('is never that an event is wrong where somebody else than the hub says so', () => {
    expect(refusal(400, false).kind).toBe('address')
    expect(refusal(422, false).kind).toBe('address')
  })

  it('is what the hub says to do, where it says something', () => {
    expect(refusal(421)).toMatchObject({ next: 'On the hub: Do this.' })
    expect(refusal(404, false).next).toBe(
      "Check the address: POST https://hub.example/events has to be a hub's.",
    )
  })
})

describe('a token that may not send', () => {
  const next = (code: string) =>
    refused(
      { status: 403, byHub: true, code, said: '', advice: 'Ask for the role member.', retryAfter: null },
      HUB,
    ).next

  it('lacks a role or a scope, and it is said which', () => {
    expect(next('wrong_role')).toMatch(/^Ask for the role member\. Or take a token of a machine/)
    expect(next('wrong_role')).not.toContain('needs the scope')
    expect(next('wrong_scope')).toMatch(/^It needs the scope ingest or full\./)
    expect(next('other_token')).toBe('Ask for the role member.')
  })
})

describe('how long a hub asks to be left alone', () => {
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
  ])('%s', (header, ms) => {
    expect(waitOf(header, now)).toBe(ms)
  })
})
