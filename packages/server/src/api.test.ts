import { gzipSync } from 'node:zlib'
import {
  agentsReply,
  check,
  eventsPage,
  failure,
  foundSource,
  healthReply,
  ingestReply,
  problemDetails,
  sourcesReply,
  statusReply,
  tokensReply,
} from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { many, overriding, session, startTestServer, type TestServer } from './server.test-kit.ts'

let kit: TestServer
let diagnoses = 0

beforeAll(async () => {
  kit = await startTestServer({
    options: {
      discover: async () => [
        { id: 'x', name: 'X', kind: 'agent', state: 'found', path: null, detail: 'here', next: null },
      ],
      diagnose: async () => {
        diagnoses += 1
        return [{ id: 'a', title: 'A', state: 'ok', detail: 'fine', cause: null, next: null }]
      },
    },
  })
})
afterAll(() => kit.stop())

const getJson = async (path: string): Promise<unknown> => (await kit.request(path)).json()

describe('POST /events', () => {
  it('stores valid lines, counts duplicates and reports invalid lines', async () => {
    const body = [JSON.stringify(session('a')), 'nope', '', JSON.stringify({ event: 'prompt' })].join('\n')
    const first = await kit.request('/events', { method: 'POST', body })
    expect(first.status).toBe(200)
    const reply = await first.json()
    expect(check(ingestReply, reply).ok).toBe(true)
    expect(reply).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [
        { line: 2, path: '', reason: 'is not JSON' },
        { line: 4, path: 'session_id', reason: 'is missing' },
      ],
    })
    expect(await (await kit.request('/events', { method: 'POST', body })).json()).toMatchObject({
      accepted: 0,
      duplicates: 1,
    })
  })

  it('counts events of forgotten sessions separately', async () => {
    const body = [session('gone'), session('there')].map((each) => JSON.stringify(each)).join('\n')
    const send = async () => (await kit.request('/events', { method: 'POST', body })).json()
    expect(await send()).toEqual({ accepted: 2, duplicates: 0, rejected: [] })
    await kit.store.forgetting.begin([{ source: 'custom', id: 'sgone' }])
    const again = await send()
    expect(again).toEqual({ accepted: 0, duplicates: 2, forgotten: 1, rejected: [] })
    expect(check(ingestReply, again).ok).toBe(true)
  })

  it('accepts an array, a single object and gzip', async () => {
    const send = async (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
      (await kit.request('/events', { method: 'POST', body, headers })).json()
    expect(await send(JSON.stringify([session('b'), session('c')]))).toMatchObject({ accepted: 2 })
    expect(await send(JSON.stringify(session('d'), null, 2))).toMatchObject({ accepted: 1 })
    const zipped = new Uint8Array(gzipSync(JSON.stringify(session('e'))))
    expect(await send(zipped, { 'content-encoding': 'gzip' })).toMatchObject({ accepted: 1 })
  })

  it('refuses a body that is too large, plain or inflated, and an unknown encoding', async () => {
    const send = async (body: string | Uint8Array<ArrayBuffer>, headers = {}) => {
      const answer = await kit.request('/events', { method: 'POST', body, headers })
      expect(check(problemDetails, await answer.json()).ok).toBe(true)
      return answer.status
    }
    expect(await send('x'.repeat(17 * 1_048_576))).toBe(413)
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1_048_576, ' ')))
    expect(await send(bomb, { 'content-encoding': 'gzip' })).toBe(413)
    expect(await send('not gzip', { 'content-encoding': 'gzip' })).toBe(400)
    expect(await send('{}', { 'content-encoding': 'br' })).toBe(415)
  })

  it('removes secrets before it stores events', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    await kit.post(session('secret', { title: `with ${secret}` }))
    const page = JSON.stringify(await getJson('/api/events?session=ssecret'))
    expect(page).toContain('[redacted:github-token]')
    expect(page).not.toContain(secret)
  })
})

describe('GET /api/events', () => {
  it('returns pages in both directions', async () => {
    await kit.post(...many(30, { source: 'pages' }))
    const walk = async (start: string, way: 'after' | 'before') => {
      const seen: number[] = []
      let next: number | null = null
      let path = `/api/events?limit=7&source=pages${start}`
      do {
        const page = (await getJson(path)) as { events: { seq: number }[]; next: number | null }
        expect(check(eventsPage, page).ok).toBe(true)
        seen.push(...page.events.map((event) => event.seq))
        next = page.next
        path = `/api/events?limit=7&source=pages&${way}=${next}`
      } while (next !== null)
      return seen
    }
    const down = await walk('', 'before')
    const up = await walk('&after=0', 'after')
    expect(up).toHaveLength(30)
    expect(down).toEqual([...up].reverse())
  })

  it('treats an empty parameter as absent', async () => {
    const all = (await getJson('/api/events?limit=5')) as { events: unknown[] }
    expect(await getJson('/api/events?limit=5&source=&session=&agent=&kind=&text=')).toEqual(all)
    expect(await getJson('/api/agents?session=&state=')).toEqual(await getJson('/api/agents'))
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=5000', 'limit'],
    ['since=yesterday', 'since'],
    ['failed=maybe', 'failed'],
    ['color=red', ''],
    ['after=1&before=5', 'before'],
  ])('refuses %s and names the invalid field', async (query, path) => {
    const answer = await kit.request(`/api/events?${query}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid', problems: [{ path }] })
  })
})

describe('GET /api/export', () => {
  it('streams every matching event as one line, oldest first', async () => {
    await kit.post(...many(2_500, { source: 'export', key: undefined, ts: 5 }))
    const answer = await kit.request('/api/export?source=export')
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const seqs = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq)
    expect(seqs).toHaveLength(2_500)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  })

  it('escapes invisible and bidirectional characters in JSON', async () => {
    const title = 'a\u202eb\u009b2J\u2066\u200bc é 👩‍🚀'
    await kit.post({ ...session('odd'), source: 'odd', title })
    const text = await (await kit.request('/api/export?source=odd')).text()
    expect(text).toContain('a\\u202eb\\u009b2J\\u2066\\u200bc é 👩‍🚀')
    expect(JSON.parse(text)).toMatchObject({ title })
  })

  it('reads only as fast as its client, and stops when the client disconnects', async () => {
    let pages = 0
    const slow = await startTestServer({
      wrap: (store) =>
        overriding(store, {
          read: (...args) => {
            pages += 1
            return store.read(...args)
          },
        }),
    })
    for (let at = 0; at < 10; at++) {
      await slow.post(...many(1_000, { key: undefined, ts: at, title: 'x'.repeat(2_000) }))
    }
    const leave = new AbortController()
    const answer = await slow.request('/api/export', { signal: leave.signal })
    const reader = answer.body?.getReader()
    await reader?.read()
    let before = -1
    await expect
      .poll(
        () => {
          const still = pages === before
          before = pages
          return still
        },
        { interval: 300 },
      )
      .toBe(true)
    expect(pages).toBeLessThan(10)
    leave.abort()
    expect((await slow.request('/api/tokens')).status).toBe(200)
    expect(pages).toBeLessThan(10)
    await slow.stop()
  })

  describe('of a store that is damaged', () => {
    const damaged = (from: number) =>
      startTestServer({
        wrap: (store) =>
          overriding(store, {
            read: async (range, filter) =>
              'after' in range && range.after >= from
                ? failure('corrupt', 'The store is damaged.')
                : store.read(range, filter),
          }),
      })

    it('is cut off with one line in the log and nothing on the terminal', async () => {
      const printed = vi.spyOn(console, 'error').mockReturnValue()
      onTestFinished(() => printed.mockRestore())
      const broken = await damaged(2_000)
      onTestFinished(() => broken.stop())
      await broken.post(...many(2_500, { key: undefined, ts: 5 }))
      const answer = broken.request('/api/export').then((reply) => reply.text())
      await expect(answer).rejects.toThrow()
      const lines = broken
        .logged()
        .split('\n')
        .filter((line) => line.includes('cut off'))
      expect(lines).toHaveLength(1)
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        path: '/api/export',
        error: 'The store is damaged.',
        msg: 'response cut off',
      })
      expect(printed).not.toHaveBeenCalled()
    })

    it('is refused with the reason if no event can be read', async () => {
      const broken = await damaged(0)
      onTestFinished(() => broken.stop())
      const answer = await broken.request('/api/export')
      expect(answer.status).toBe(500)
      expect(await answer.json()).toMatchObject({ code: 'corrupt', detail: 'The store is damaged.' })
    })
  })

  it('is empty if nothing matches', async () => {
    expect(await (await kit.request('/api/export?source=nobody')).text()).toBe('')
  })
})

describe('state endpoints', () => {
  it('answer with bodies that match their schemas', async () => {
    await kit.post({ event: 'agent_spawn', id: 'a1', session_id: 'living', subagent_type: 'coder' })
    expect(check(statusReply, await getJson('/api/status'))).toMatchObject({ ok: true })
    expect(check(sourcesReply, await getJson('/api/sources')).ok).toBe(true)
    expect(
      check(foundSource, ((await getJson('/api/sources')) as { sources: unknown[] }).sources[0]).ok,
    ).toBe(true)
    expect(check(tokensReply, await getJson('/api/tokens')).ok).toBe(true)
    const agents = (await getJson('/api/agents?session=living&state=working,waiting')) as unknown[]
    expect(check(agentsReply, agents).ok).toBe(true)
    expect(agents).toMatchObject([{ id: 'a1', state: 'working' }])
  })

  it('report how many agents exceed the limit of a request', async () => {
    await kit.post({ event: 'agent_spawn', id: 'a1', session_id: 'crowded' })
    await kit.post({ event: 'agent_spawn', id: 'a2', session_id: 'crowded' })
    const ask = async (limit: number) => {
      const reply = await kit.request(`/api/agents?session=crowded&limit=${limit}`)
      return [((await reply.json()) as unknown[]).length, reply.headers.get('x-panoptes-more')]
    }
    expect([await ask(1), await ask(2)]).toEqual([
      [1, 'true'],
      [2, 'false'],
    ])
  })

  it('count incoming and outgoing events', async () => {
    const before = (await getJson('/api/status')) as {
      counters: { events: number }
      flow: { rejected: number }
    }
    await kit.request('/events', { method: 'POST', body: `bad\n${JSON.stringify(session('flow'))}` })
    const after = (await getJson('/api/status')) as typeof before & { flow: { last_rejected: unknown } }
    expect(after.counters.events).toBe(before.counters.events + 1)
    expect(after.flow.rejected).toBe(before.flow.rejected + 1)
    expect(after.flow.last_rejected).toEqual({ line: 1, path: '', reason: 'is not JSON' })
  })

  it('run the doctor at most every ten seconds, unless a request forces it', async () => {
    diagnoses = 0
    const answers = await Promise.all([getJson('/api/health'), getJson('/api/health')])
    for (const answer of answers) expect(check(healthReply, answer).ok).toBe(true)
    await getJson('/api/health')
    expect(diagnoses).toBe(1)
    await kit.request('/api/health', { method: 'POST' })
    expect(diagnoses).toBe(2)
  })

  it('return metrics that Prometheus can parse', async () => {
    const answer = await kit.request('/metrics')
    expect(answer.headers.get('content-type')).toContain('version=0.0.4')
    const text = await answer.text()
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]+"(,\w+="[^"]+")*\})? [-+\d.eInf]+)$/)
    }
    expect(text).toMatch(/panoptes_events_appended_total [1-9]/)
    expect(text).toMatch(/panoptes_append_seconds_bucket\{le="\+Inf"\} [1-9]/)
  })
})
