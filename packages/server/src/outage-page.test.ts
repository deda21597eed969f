import { describe, expect, it } from 'vitest'
import { outagePage } from './app.ts'

const away = (change: Partial<Parameters<typeof outagePage>[0]> = {}) =>
  outagePage({
    method: 'GET',
    path: '/sessions',
    headers: { host: 'hub.example', accept: 'text/html' },
    answer: new Response('{}', { status: 503, headers: { 'retry-after': '2' } }),
    ...change,
  })

describe('a browser that navigates during an outage', () => {
  it('learns why, reloads by itself, and passes the waiting time on to proxies', async () => {
    const page = away({ because: 'The <database> is away.' })
    expect([page?.status, page?.headers.get('retry-after')]).toEqual([503, '2'])
    const text = (await page?.text()) ?? ''
    expect(text).toContain('<meta http-equiv="refresh" content="3">')
    expect(text).toContain('The &lt;database&gt; is away.')
  })

  it('starts over at the home page if its request is not safe to repeat', async () => {
    for (const of of [{ method: 'POST', path: '/auth/token' }, { path: '/auth/callback' }])
      expect(await away(of)?.text()).toContain('<meta http-equiv="refresh" content="3;url=/">')
  })

  it('gets the page, and nobody else does', () => {
    expect(away({ headers: { accept: 'application/json' } })).toBeUndefined()
    expect(away({ answer: new Response('', { status: 500 }) })).toBeUndefined()
  })
})
