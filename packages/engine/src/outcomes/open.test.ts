import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { config } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { NOON, value } from './outcomes.test-kit.ts'
import type { Review } from './outcomes.ts'
import { asked, event, replied, reviewHome } from './outcomes-home.test-kit.ts'

const CLAIM = 'It took 5 s [REAL: wc -l]'
const MINUTE = 60_000
const DAY = 86_400_000

describe('outcomes', () => {
  it('are read from every session once, with progress, and again only after a change', async () => {
    const { transcript, more, open, journal, ledger: store, clock } = await reviewHome()
    for (let n = 0; n < 40; n += 1) transcript(`s${n}`, [asked('go'), replied('m', 'Done.')])
    const states = new Set<string>()
    // The clock is advanced while sessions are read, however fast that is.
    const now = () => {
      states.add(review?.reading().state ?? 'none')
      return clock.now
    }
    let review: Review | undefined
    review = await open({ now })
    value(await review.refresh())
    expect(states).toContain('running')
    expect(review.reading()).toEqual({ state: 'idle', done: 40, total: 40, problem: null })
    expect(journal('agent-toolstats').length).toBe(40)
    value(await review.refresh())
    expect(review.reading().total).toBe(0)
    more('s7', [asked('and', 5), replied('n', CLAIM, 6)])
    value(await review.refresh())
    expect(review.reading()).toMatchObject({ done: 1, total: 1 })
    expect(value(await review.agents({ session: 's7', limit: 10 })).agents).toMatchObject([
      { tokens_in: 200, tokens_out: 20, finished: true },
    ])
    expect(journal('agent-toolstats').filter(({ session_id }) => session_id === 's7')).toMatchObject([
      { tokens_in: 200 },
    ])
    expect(journal('numeric-claims')).toMatchObject([{ value: 'It took 5 s', session_id: 's7' }])
    const known = value(await store.accounts.fingerprints('claude-code'))
    expect(known.size).toBe(40)
    await review.close()
    const again = await open()
    value(await again.refresh())
    expect(again.reading().total).toBe(0)
    expect(value(await again.overview({}))).toMatchObject({ sessions: 40, agents: 40, claims: 1 })
  })

  it('resume after an interruption', async () => {
    const { transcript, open, journal } = await reviewHome()
    const long = Array.from({ length: 20 }, (_, n) => replied(`m${n}`, 'word '.repeat(400), n))
    for (let n = 0; n < 150; n += 1) transcript(`s${n}`, long)
    const first = await open()
    const stop = new AbortController()
    const reading = first.refresh(stop.signal)
    await expect.poll(() => first.reading().done, { interval: 5 }).toBeGreaterThan(0)
    stop.abort()
    expect((await reading).ok).toBe(true)
    const before = journal('agent-toolstats').length
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(150)
    await first.close()
    const second = await open()
    value(await second.refresh())
    expect(second.reading().total).toBe(150 - before)
    expect(journal('agent-toolstats').length).toBe(150)
  })

  it('stay when a session disappears from its source, even if it is reported again later', async () => {
    const { folder, ledger: store, transcript, open } = await reviewHome()
    transcript('s', [asked('go'), replied('m', CLAIM)])
    const review = await open()
    value(await review.refresh())
    rmSync(join(folder, '.claude'), { recursive: true })
    value(await store.append([event('s', 'prompt'), event('s', 'tool_use', { id: 't', tool: 'Bash' })]))
    value(await review.refresh())
    expect(value(await store.accounts.get({ source: 'claude-code', id: 's' }))).toMatchObject({
      from: 'session',
      claims: [{ value: 'It took 5 s' }],
    })
  })

  it('belong to (source, session), because ids may repeat across sources', async () => {
    const { ledger: store, transcript, open, journal } = await reviewHome()
    transcript('s', [asked('go'), replied('m', 'Done.')])
    value(await store.append([event('s', 'tool_use', { id: 't', tool: 'Bash', source: 'custom' })]))
    value(await (await open()).refresh())
    expect(journal('agent-toolstats').map(({ source, tool_use_count }) => [source, tool_use_count])).toEqual([
      ['claude-code', 0],
      ['custom', 1],
    ])
  })

  it('come from the log if no source has the session, and from the source as soon as one does', async () => {
    const { ledger: store, transcript, open, journal } = await reviewHome()
    const review = await open()
    value(await store.append([event('s', 'prompt'), event('s', 'tool_use', { id: 't', tool: 'Bash' })]))
    value(await review.refresh())
    const one = () => store.accounts.get({ source: 'claude-code', id: 's' })
    expect(value(await one())).toMatchObject({
      from: 'log',
      agents: [{ tool_use_count: 1, tokens_in: null }],
    })
    value(await store.append([event('s', 'tool_use', { id: 'u', tool: 'Read' })]))
    value(await review.refresh())
    expect(value(await one())).toMatchObject({ agents: [{ tool_stats: { Bash: 1, Read: 1 } }] })
    transcript('s', [asked('go'), replied('m', 'Done.')])
    value(await review.refresh())
    expect(value(await one())).toMatchObject({ from: 'session', agents: [{ tokens_in: 100 }] })
    expect(journal('agent-toolstats').map(({ tokens_in }) => tokens_in)).toEqual([100])
  })

  it('stay unchanged when retention deletes a part of the log', async () => {
    const { ledger: store, open } = await reviewHome()
    const spent = (id: string, day: number) =>
      event('s', 'usage', { id, model: 'm', input: 10, output: 1, ts: NOON + day * DAY, source: 'custom' })
    const called = (id: string, day: number) =>
      event('s', 'tool_use', { id, tool: 'Bash', ts: NOON + day * DAY, source: 'custom' })
    value(await store.append([spent('a', 0), called('t', 0), called('u', 0), spent('b', 1), called('v', 1)]))
    const review = await open()
    value(await review.refresh())
    expect(value(await store.retain({ before: NOON + DAY }))).toBe(3)
    value(await store.append([spent('c', 2), called('w', 2)]))
    value(await review.refresh())
    const { agents } = value(await review.agents({ limit: 10, all: true }))
    expect(agents).toMatchObject([{ tokens_in: 30, tokens_out: 3, tool_use_count: 4 }])
    const days = value(await review.costs({ by: 'day' }))
    expect(days.map(({ name, tokens_in }) => [name, tokens_in])).toEqual([
      ['2026-09-15', 10],
      ['2026-09-16', 10],
      ['2026-09-17', 10],
    ])
  })

  it('are updated after a restart for events that arrived meanwhile', async () => {
    const { ledger: store, open } = await reviewHome()
    value(await store.append([event('a', 'tool_use', { id: 't', tool: 'Bash' })]))
    const first = await open()
    value(await first.refresh())
    await first.close()
    value(await store.append([event('a', 'tool_use', { id: 'u', tool: 'Bash' }), event('b', 'prompt')]))
    const second = await open()
    value(await second.refresh())
    expect(
      value(await second.agents({ limit: 10, all: true }))
        .agents.map(({ session_id, tool_use_count }) => [session_id, tool_use_count])
        .sort(),
    ).toEqual([
      ['a', 2],
      ['b', 0],
    ])
  })

  it('cover every reported session, even more than can wait at once', async () => {
    const { ledger: store, open } = await reviewHome()
    const review = await open({ mostWaiting: 10 })
    value(await review.refresh())
    value(await store.append(Array.from({ length: 35 }, (_, at) => event(`s${at}`, 'prompt'))))
    value(await review.refresh())
    expect(value(await review.overview({})).sessions).toBe(35)
    review.follow()
    value(await store.append(Array.from({ length: 25 }, (_, at) => event(`t${at}`, 'prompt'))))
    await expect
      .poll(async () => value(await review.overview({})).sessions, { timeout: 30_000, interval: 200 })
      .toBe(60)
  })

  it('mark an agent as finished when the log says so, without a change of its transcript', async () => {
    const { ledger: store, transcript, open, clock, journal } = await reviewHome()
    clock.now = NOON + 10_000
    transcript('s', [asked('go'), replied('m', 'Working on it.', 1)])
    value(await store.append([event('s', 'prompt', { ts: NOON + 500 })]))
    const review = await open()
    value(await review.refresh())
    expect(value(await review.agents({ limit: 10 })).total).toBe(0)
    expect(value(await review.agents({ limit: 10, all: true })).agents).toMatchObject([{ finished: false }])
    expect(journal('agent-toolstats')).toEqual([])
    value(await store.append([event('s', 'agent_done', { id: 'main', ts: NOON + 2_000 })]))
    value(await review.refresh())
    expect(journal('agent-toolstats')).toMatchObject([{ agent_id: 'main', tokens_in: 100 }])
    value(await store.append([event('s', 'prompt', { ts: NOON + 9_000 })]))
    value(await review.refresh())
    expect(value(await review.agents({ limit: 10 })).total).toBe(0)
    expect(journal('agent-toolstats').length).toBe(1)
  })

  it("compare estimates as soon as the log reports the agent's end", async () => {
    const { ledger: store, transcript, open, clock } = await reviewHome()
    clock.now = Date.now()
    const began = clock.now - 13 * MINUTE
    const at = (second: number, row: object) => ({
      ...row,
      timestamp: new Date(began + second * 1_000).toISOString(),
    })
    const called = [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'make' } }]
    const answered = [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]
    transcript('s', [
      at(0, asked('go')),
      at(1, replied('m', 'This will take about 5 minutes [ESTIMATE-HTC: similar]')),
      at(60, { ...replied('n', ''), message: { ...replied('n', '').message, content: called } }),
      at(720, { ...asked('', 2), message: { role: 'user', content: answered } }),
    ])
    value(await store.append([event('s', 'prompt', { ts: began })]))
    const review = await open()
    value(await review.refresh())
    const took = async () => value(await review.claims({ limit: 1 })).claims[0]?.estimate?.took
    expect(await took()).toBeNull()
    value(await store.append([event('s', 'agent_done', { id: 'main', ts: began + 721_000 })]))
    value(await review.refresh())
    expect(await took()).toBe(719_000)
    expect(value(await review.calibration({}))).toMatchObject({ rows: [{ claims: 1 }], open: 0 })
    expect(review.reading().total).toBe(1)
    value(await review.refresh())
    expect(review.reading().total).toBe(0)
  })

  it('mark an agent as finished after half an hour of silence, also after a restart', async () => {
    const { transcript, open, clock, journal } = await reviewHome()
    clock.now = NOON + MINUTE
    transcript('s', [asked('go'), replied('m', 'Hm.', 1)])
    const first = await open()
    value(await first.refresh())
    await first.close()
    clock.now = NOON + 29 * MINUTE
    const second = await open()
    value(await second.refresh())
    expect(journal('agent-toolstats')).toEqual([])
    clock.now = NOON + 31 * MINUTE
    value(await second.refresh())
    expect(journal('agent-toolstats').length).toBe(1)
  })

  it('are removed with their lines for a forgotten session', async () => {
    const { ledger: store, transcript, open, journal } = await reviewHome()
    transcript('s', [asked('go'), replied('m', CLAIM)])
    transcript('t', [asked('go'), replied('m', CLAIM)])
    const review = await open()
    value(await review.refresh())
    expect(journal('numeric-claims').length).toBe(2)
    const gone = [{ source: 'claude-code', id: 's' }]
    value(await store.forgetting.begin(gone))
    expect(value(await review.forget(gone))).toBe(2)
    value(await store.forgetting.remove(gone))
    value(await store.forgetting.end(gone))
    transcript('s', [asked('go'), replied('m', CLAIM), replied('n', CLAIM, 5)])
    value(await review.refresh())
    await review.close()
    value(await (await open()).refresh())
    expect(
      [journal('agent-toolstats'), journal('numeric-claims')].flat().map(({ session_id }) => session_id),
    ).toEqual(['t', 't'])
    expect(value(await store.accounts.get({ source: 'claude-code', id: 's' }))).toBeNull()
  })

  it('continue after something was forgotten while it was read', async () => {
    const { ledger: store, transcript, open, journal } = await reviewHome()
    const long = Array.from({ length: 40 }, (_, n) => replied(`m${n}`, 'word '.repeat(2_000), n))
    for (let n = 0; n < 80; n += 1) transcript(`s${n}`, long)
    const review = await open()
    review.follow()
    await expect.poll(() => review.reading().total, { interval: 5 }).toBe(80)
    const gone = [{ source: 'claude-code', id: 's3' }]
    value(await store.forgetting.begin(gone))
    value(await review.forget(gone))
    await expect.poll(() => journal('agent-toolstats').length).toBe(79)
    expect(journal('agent-toolstats').some(({ session_id }) => session_id === 's3')).toBe(false)
  })

  it('contain no claims if the environment of the daemon or the session disables them', async () => {
    const { folder, ledger: store, transcript, more, open, journal } = await reviewHome()
    transcript('s', [asked('go'), replied('m', CLAIM)])
    const first = await open()
    value(await first.refresh())
    await first.close()
    more('s', [replied('n', 'It took 6 s [REAL: wc]', 3)])
    transcript('t', [asked('go'), replied('m', CLAIM)])
    value(await store.append([event('u', 'bypass', { claims: true })]))
    transcript('u', [asked('go'), replied('m', CLAIM)])
    const silent = await open({ env: { HOME: folder, NUMERIC_CLAIMS_RECORD_BYPASS: '1' } })
    value(await silent.refresh())
    await silent.close()
    expect(journal('numeric-claims').map(({ session_id }) => session_id)).toEqual(['s'])
    expect(value(await store.accounts.claims({ limit: 10 })).rows.map((claim) => claim.value)).toEqual([
      'It took 5 s',
    ])
    more('t', [replied('n', 'Done.', 3)])
    more('u', [replied('n', 'Done.', 3)])
    value(await store.append([event('s', 'bypass', { claims: true })]))
    more('s', [replied('o', 'It took 7 s [REAL: wc]', 4)])
    value(await (await open()).refresh())
    const kept = value(await store.accounts.claims({ session: 's', limit: 10 })).rows
    expect(kept.map((claim) => claim.value)).toEqual(['It took 5 s'])
    expect(journal('numeric-claims').map(({ session_id }) => session_id)).toEqual(['s', 't'])
  })

  it('are computed again after a price changed', async () => {
    const { transcript, open } = await reviewHome()
    transcript('s', [asked('go'), replied('m', 'Done.', 1, 'mine')])
    transcript('t', [asked('go'), replied('m', 'Done.', 1)])
    const first = await open()
    value(await first.refresh())
    expect(value(await first.overview({}))).toMatchObject({ sessions_without_price: 1 })
    await first.close()
    const second = await open({ config: config.parse({ prices: { mine: { input: 1, output: 2 } } }) })
    value(await second.refresh())
    expect(second.reading().total).toBe(1)
    expect(value(await second.agents({ session: 's', limit: 1 })).agents).toMatchObject([
      { cost_micro_usd: 120 },
    ])
  })

  it('follow new transcripts and events', async () => {
    const { ledger: store, transcript, more, open, journal } = await reviewHome()
    transcript('s', [asked('go'), replied('m', 'Done.')])
    const review = await open()
    review.follow()
    await expect.poll(() => journal('agent-toolstats').length).toBe(1)
    more('s', [replied('n', CLAIM, 5)])
    await expect.poll(() => journal('numeric-claims').length).toBe(1)
    const of = { source: 'custom' }
    value(
      await store.append([
        event('other', 'tool_use', { id: 't', tool: 'Bash', ...of }),
        event('other', 'agent_done', { id: 'main', ...of }),
      ]),
    )
    await expect.poll(() => journal('agent-toolstats').length).toBe(2)
  })
})
