import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openSessions, type Sessions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const PARALLEL = 'ea691ccd-8a96-4a2d-838e-68211d44554b'

let folder: string
let sessions: Sessions

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-sessions-'))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
  sessions = unwrap(
    await openSessions({ file: join(folder, 'index.db'), env: { HOME: folder, CLAUDE_CONFIG_DIR: folder } }),
  )
  unwrap(await sessions.refresh())
})

afterEach(async () => {
  await sessions.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the recorded transcripts', () => {
  it('show the totals and the beginning of each session', async () => {
    const [work] = unwrap(await sessions.works({ of: [{ source: 'claude-code', id: PARALLEL }], limit: 5 }))
    expect(work).toMatchObject({ id: PARALLEL, turns: 11, tool_calls: 10, errors: 2, tokens: 2_149 })
    expect(work?.tools.reduce((sum, { calls }) => sum + calls, 0)).toBe(10)
    const one = { source: 'claude-code', id: PARALLEL }
    const { session, messages } = unwrap(await sessions.opening(one, 2))
    expect(session.id).toBe(PARALLEL)
    const results = ['tool', 'tool', 'tool']
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', ...results, 'assistant', 'tool'])
    expect(new Set(messages.map(({ agent_id }) => agent_id))).toEqual(new Set(['main']))
    expect(await sessions.opening({ ...one, id: 'none' }, 2)).toMatchObject({ code: 'not_found' })
  })

  it('match the totals counted by hand, including sub-agents', async () => {
    const list = unwrap(await sessions.list({ limit: 10 }))
    const of = (title: string) => list.find((each) => each.title === title)
    // Each reply has 42 output tokens and 7 cache writes; the n-th of an agent has 100 + n input tokens and
    // 50 n cache reads.
    expect(of('RUN:parallel')).toMatchObject({ messages: 25, tool_calls: 10, errors: 2 })
    expect(of('RUN:parallel')?.spent).toMatchObject({
      input: 1_110,
      output: 462,
      cache_read: 500,
      cache_write: 77,
    })
    expect(of('RUN:files')?.spent).toMatchObject({
      input: 510,
      output: 210,
      cache_read: 500,
      cache_write: 35,
    })
    expect(of('RUN:skill')?.spent).toMatchObject({
      input: 303,
      output: 126,
      cache_read: 150,
      cache_write: 21,
    })
    expect(of('RUN:failure')?.spent).toMatchObject({
      input: 303,
      output: 126,
      cache_read: 150,
      cache_write: 21,
    })
    // Opus costs 5 / 25 / 0.5 / 6.25 dollars per million, Haiku a fifth of that.
    expect(of('RUN:failure')?.spent.cost_micro_usd).toBe(1_594 + 1_624 + 1_654)
    expect(list.every(({ spent }) => spent.cost_unknown === 0 && spent.usage_unknown === 0)).toBe(true)
  })

  it('are read in pages, with the agents nested', async () => {
    const query = { source: 'claude-code', id: PARALLEL }
    const first = unwrap(await sessions.transcript({ ...query, from: 0, limit: 10 }))
    const rest = unwrap(await sessions.transcript({ ...query, from: first.next ?? 0, limit: 100 }))
    expect([first.messages.length, rest.messages.length, rest.next]).toEqual([10, 15, null])
    expect(
      first.agents.map(({ parent_id, subagent_type, tool_use_id }) => [
        parent_id,
        subagent_type,
        tool_use_id,
      ]),
    ).toEqual([
      ['main', 'Explore', 'toolu_1_3'],
      ['main', 'general-purpose', 'toolu_1_1'],
      ['main', 'general-purpose', 'toolu_1_2'],
      [null, null, null],
    ])
  })

  it('are searched, with the words around each hit', async () => {
    const [hit] = unwrap(await sessions.search({ text: 'definitely', limit: 5 }))
    expect(hit).toMatchObject({ title: 'RUN:failure', role: 'assistant' })
    expect(hit?.snippet).toContain('/definitely/not/here')
  })

  it('are re-read only when they change, and only those', async () => {
    const total = () => sessions.status()[0]?.total
    unwrap(await sessions.refresh())
    expect(total()).toBe(0)
    const row = {
      type: 'user',
      uuid: 'u',
      timestamp: '2026-11-15T09:00:00Z',
      message: { role: 'user', content: 'Überraschung' },
    }
    appendFileSync(
      join(folder, 'projects', '-home-dev-notes', `${PARALLEL}.jsonl`),
      `${JSON.stringify(row)}\n`,
    )
    unwrap(await sessions.refresh())
    expect(total()).toBe(1)
    expect(unwrap(await sessions.search({ text: 'uberraschung', limit: 5 }))).toHaveLength(1)
  })

  it('stay readable when the agent deletes them', async () => {
    rmSync(join(folder, 'projects', '-home-dev-notes', `${PARALLEL}.jsonl`))
    unwrap(await sessions.refresh())
    const list = unwrap(await sessions.list({ limit: 10 }))
    expect(list.filter(({ archived }) => archived).map(({ id }) => id)).toEqual([PARALLEL])
    const { messages } = unwrap(
      await sessions.transcript({ source: 'claude-code', id: PARALLEL, from: 0, limit: 100 }),
    )
    expect(messages).toHaveLength(25)
  })

  it('are followed: a change is found within a second or two', async () => {
    sessions.follow()
    const row = {
      type: 'user',
      uuid: 'u',
      timestamp: '2026-11-15T09:00:00Z',
      message: { role: 'user', content: 'afterthought' },
    }
    appendFileSync(
      join(folder, 'projects', '-home-dev-notes', `${PARALLEL}.jsonl`),
      `${JSON.stringify(row)}\n`,
    )
    await expect
      .poll(async () => unwrap(await sessions.search({ text: 'afterthought', limit: 5 })).length)
      .toBe(1)
  })
})

describe('a large session that keeps growing', () => {
  it('is re-read automatically, however soon after the last read it grew', async () => {
    const file = join(folder, 'projects', '-home-dev-notes', 'large.jsonl')
    const say = (word: string, size = 0) => {
      const message = { role: 'user', content: `${word} ${'x'.repeat(size)}` }
      const row = { type: 'user', uuid: word, timestamp: '2026-11-15T09:00:00Z', message }
      appendFileSync(file, `${JSON.stringify(row)}\n`)
    }
    const found = async (text: string) => unwrap(await sessions.search({ text, limit: 5 })).length
    for (let n = 0; n < 12; n += 1) say(`first${n}`, 140_000)
    unwrap(await sessions.refresh())
    sessions.follow()
    say('zweitens')
    await expect.poll(() => found('zweitens'), { timeout: 35_000, interval: 20 }).toBe(1)
    say('drittens')
    await expect.poll(() => found('drittens'), { timeout: 35_000, interval: 20 }).toBe(1)
  })
})

describe('paused reading', () => {
  const state = () => sessions.status()[0]
  const count = async () => unwrap(await sessions.list({ limit: 1_000 })).length

  it('stops immediately, reads nothing new, and resumes', async () => {
    const many = join(folder, 'projects', '-home-dev-many')
    mkdirSync(many)
    for (let n = 0; n < 600; n += 1) {
      const message = { role: 'user', content: `number ${n} ${'words '.repeat(2_000)}` }
      const row = { type: 'user', uuid: `u${n}`, timestamp: '2026-11-15T09:00:00Z', message }
      writeFileSync(join(many, `s${n}.jsonl`), `${JSON.stringify(row)}\n`)
    }
    const reading = sessions.refresh()
    await expect.poll(() => state()?.done ?? 0, { timeout: 30_000, interval: 2 }).toBeGreaterThan(0)
    sessions.pause(true)
    unwrap(await reading)
    expect(state()?.state).toBe('paused')
    const read = await count()
    expect(read).toBeLessThan(604)
    unwrap(await sessions.refresh())
    expect(await count()).toBe(read)
    sessions.pause(false)
    await expect.poll(count).toBe(604)
    await expect.poll(() => state()?.state).toBe('idle')
    expect(state()?.total).toBe(604 - read)
  })
})
