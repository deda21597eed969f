import type { SessionRecord } from '@panoptes/engine/sources'
import type { Session, TokenUsage } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  accountFrom,
  agent,
  call,
  calls,
  ended,
  message,
  prompt,
  reply,
  result,
  START,
  skill,
  text,
} from './make.test-kit.ts'

const usage = (fields: Partial<TokenUsage>): TokenUsage => ({
  input: 0,
  output: 0,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
  ...fields,
})

describe('marker of an agent', () => {
  const marker = (shipped: string, more = '') => `Done.\nshipped: ${shipped}\nstubs: 1\n${more}`

  it('is the last one that the agent itself wrote', async () => {
    const { agents } = await accountFrom([
      agent('main'),
      prompt(1, marker('fail')),
      reply(2, marker('partial')),
      calls(3, call('a', 'Agent')),
      ended(4, result('a', true, marker('scaffolding'))),
      reply(5, marker('functional')),
      reply(6, 'And that is that.'),
      reply(7, marker('fail'), { state: 'rewound' }),
      reply(8, marker('fail'), { state: 'summary' }),
      reply(9, marker('fail'), { hidden: true }),
    ])
    expect(agents).toMatchObject([
      { outcome: 'functional', stubs: 1, said_at: { n: 4, quote: 'shipped: functional' } },
    ])
  })

  it('is stored without secrets in the names of models, tools, types and projects', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const account = await accountFrom(
      [
        agent('main', { subagent_type: secret }),
        calls(1, call('a', secret)),
        reply(2, 'ok', { model: secret, usage: usage({ input: 1, output: 1 }) }),
      ],
      { project: secret },
    )
    expect(JSON.stringify(account)).not.toContain(secret)
    expect(account.project).toBe('[redacted:github-token]')
    expect(account.cells.map(({ model }) => model)).toContain('[redacted:github-token]')
  })

  it('is stored without a secret in a project path that is cut to its last folder', async () => {
    const key = 'a1B2c3D4e5F6g7H8i9J0k1L2'
    const cwd = `/w/https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/${key}`
    const account = await accountFrom([agent('main'), reply(1, 'ok')], { project: key, cwd })
    expect(JSON.stringify(account)).not.toContain(key)
  })

  it('is stored without secrets', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const { agents, claims } = await accountFrom(
      [
        agent('main', { description: `use ${secret}` }),
        reply(1, marker('partial', `follow-up-required:\n- revoke ${secret}\n`)),
        reply(2, `the key ${secret} took 5 s [REAL: curl -H ${secret}]`),
      ],
      { title: secret },
    )
    expect(JSON.stringify([agents, claims])).not.toContain(secret)
    expect(agents[0]?.status?.follow_ups[0]).toMatch(/^revoke \[redacted/)
    expect(claims).toHaveLength(1)
  })
})

describe('claims of a session', () => {
  it('are counted once per message and position, also for a message in two parts', async () => {
    const said = (at: number, words: string, more = {}) => reply(at, words, { id: 'm', ...more })
    const { claims } = await accountFrom([
      agent('main'),
      said(1, '1 s [REAL: a] and 2 s [REAL: b]'),
      said(2, '1 s [REAL: a] and 2 s [REAL: b]'),
      said(3, '3 s [REAL: c]'),
      said(4, '1 s [REAL: a]', { id: 'other' }),
      said(5, '4 s [REAL: d]', { agent_id: 'a1' }),
      reply(6, '5 s [REAL: e]', { state: 'rewound' }),
      reply(7, '5 s [REAL: e]', { state: 'summary' }),
      reply(8, '5 s [REAL: e]', { hidden: true }),
      reply(9, '6 s [REAL: f]', { id: 'x', state: 'compacted' }),
      prompt(10, '7 s [REAL: g]'),
      ended(11, result('z', true, '8 s [REAL: h]')),
    ])
    expect(
      claims.map(({ agent_id, message_id, n, place, value }) => [agent_id, message_id, n, place, value]),
    ).toEqual([
      ['main', 'm', 0, 0, '1 s'],
      ['main', 'm', 0, 1, 'and 2 s'],
      ['main', 'm', 2, 2, '3 s'],
      ['main', 'other', 3, 0, '1 s'],
      ['a1', 'm', 4, 0, '4 s'],
      ['main', 'x', 8, 0, '6 s'],
    ])
  })
})

describe('costs of a session', () => {
  const paid = (at: number, input: number, more = {}) =>
    reply(at, 'ok', { usage: usage({ input, output: 1 }), ...more })

  it('are summed over the whole transcript by day, agent and model, counting unknown ones', async () => {
    const day = 24 * 3_600
    const { agents, cells } = await accountFrom([
      agent('main'),
      paid(0, 10),
      paid(1, 20, { cost_micro_usd: 7 }),
      paid(2, 30, { model: 'nobody-lists-it' }),
      reply(3, 'no word of its tokens'),
      reply(4, 'the client itself', { model: null }),
      paid(day, 40),
    ])
    const opus = 'claude-opus-4-8'
    expect(
      cells.map(({ day, model, replies, tokens_in, cost_micro_usd, cost_unknown, usage_unknown }) => [
        [day, model],
        [replies, tokens_in, cost_micro_usd, cost_unknown, usage_unknown],
      ]),
    ).toEqual([
      // 10 × 5 + 25, and 7 as reported.
      [
        ['2026-11-16', opus],
        [3, 30, 82, 0, 1],
      ],
      [
        ['2026-11-16', 'nobody-lists-it'],
        [1, 30, 0, 1, 0],
      ],
      [
        ['2026-11-17', opus],
        [1, 40, 225, 0, 0],
      ],
    ])
    expect(agents).toMatchObject([
      { tokens_in: 100, tokens_out: 4, cost_micro_usd: 307, cost_unknown: 2, model: opus, cache_read: null },
    ])
  })

  it('are unknown and not zero if nothing is reported', async () => {
    const { agents } = await accountFrom([agent('main'), reply(1)])
    expect(agents).toMatchObject([
      { tokens_in: null, tokens_out: null, cost_micro_usd: null, cost_unknown: 1 },
    ])
  })

  it('are distributed over the replies without rounding loss if the source reports a total', async () => {
    const day = 24 * 3_600
    const whole = { usage: usage({ input: 100, output: 11, cache_read: 5 }), model: 'claude-opus-4-8' }
    const { agents, cells } = await accountFrom(
      [
        agent('main'),
        reply(1),
        reply(2),
        calls(day, skill('a')),
        ended(day + 1, result('a')),
        reply(day + 2),
      ],
      whole,
    )
    expect(
      cells.map(({ day, skill, replies, tokens_in, tokens_out, usage_unknown }) => [
        day,
        skill,
        replies,
        tokens_in,
        tokens_out,
        usage_unknown,
      ]),
    ).toEqual([
      ['2026-11-16', null, 2, 50, 6, 0],
      ['2026-11-17', null, 1, 25, 2, 0],
      ['2026-11-17', 'tidy', 1, 25, 3, 0],
    ])
    // 100 × 5 + 11 × 25 + 5 × 0.5 = 777.5
    expect(cells.reduce((sum, { cost_micro_usd }) => sum + cost_micro_usd, 0)).toBe(778)
    expect(agents).toMatchObject([
      {
        tokens_in: 100,
        tokens_out: 11,
        cache_read: 5,
        cache_write: null,
        cost_micro_usd: 778,
        cost_unknown: 0,
      },
    ])
    const unpriced = await accountFrom([agent('main'), reply(1), reply(2)], {
      ...whole,
      model: 'nobody-lists-it',
    })
    expect(unpriced.agents).toMatchObject([{ tokens_in: 100, cost_micro_usd: null, cost_unknown: 1 }])
    const priced = await accountFrom([agent('main'), paid(1, 10), paid(2, 10)], { cost_micro_usd: 9 })
    expect(priced.agents).toMatchObject([{ tokens_in: 20, cost_micro_usd: 9 }])
  })

  it('without a time belong to the day of the session', async () => {
    const { cells } = await accountFrom([agent('main'), paid(0, 10, { ts: null })], { last_at: START })
    expect(cells).toMatchObject([{ day: '2026-11-16', tokens_in: 10 }])
  })
})

it('fails if the source could not read the session or not to its end', async () => {
  await expect(
    accountFrom([agent('main'), { kind: 'failed', failure: { ok: false, code: 'io', message: 'gone' } }]),
  ).rejects.toThrow('gone')
})

it("does not depend on the order of the agents' messages", async () => {
  const of = (id: string): readonly SessionRecord[] => [
    message('user', 1, [text('go')], { agent_id: id, id: `${id}0` }),
    message('assistant', 2, [text('5 s [REAL: x]'), skill(`${id}s`)], {
      agent_id: id,
      id: `${id}1`,
      usage: usage({ input: 3, output: 4 }),
    }),
    message('tool', 3, [result(`${id}s`)], { agent_id: id, id: `${id}2` }),
    message('assistant', 4, [call(`${id}b`, 'Bash')], {
      agent_id: id,
      id: `${id}3`,
      usage: usage({ input: 5, output: 6 }),
    }),
    message('tool', 5, [result(`${id}b`, id !== 'b')], { agent_id: id, id: `${id}4` }),
    message('assistant', 6, [text(`shipped: ${id === 'b' ? 'fail' : 'functional'}`)], {
      agent_id: id,
      id: `${id}5`,
    }),
  ]
  const ids = ['main', 'a', 'b']
  const queues = ids.map(of)
  const plain = async (records: readonly SessionRecord[]) => {
    const { agents, claims, skills, cells } = await accountFrom([...ids.map((id) => agent(id)), ...records])
    const without = ({ n: _, ...row }: (typeof claims)[number] | (typeof skills)[number]) =>
      JSON.stringify(row)
    return {
      agents: agents.map(({ said_at: _, ...row }) => row),
      claims: claims.map(without).sort(),
      skills: skills.map(without).sort(),
      cells,
    }
  }
  const expected = await plain(queues.flat())
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (turns) => {
      const left = queues.map((queue) => [...queue])
      const mixed: SessionRecord[] = []
      for (const turn of turns) {
        const open = left.filter(({ length }) => length > 0)
        if (open.length === 0) break
        mixed.push((open[turn % open.length] as SessionRecord[]).shift() as SessionRecord)
      }
      expect(await plain(mixed)).toEqual(expected)
    }),
  )
})

describe('spending outside the transcript', () => {
  const answered = reply(1, 'Done.', { usage: usage({ input: 1_000, output: 100 }) })
  const inside = 7_500

  it("is the client's total minus the cost of the replies", async () => {
    const models = { 'claude-opus-4-8': { cost_micro_usd: inside + 1_200, tokens: 1_300 } }
    const total = { kind: 'total', cost_micro_usd: inside + 1_200, within_micro_usd: 1, models } as const
    const { agents, outside } = await accountFrom([agent('main'), answered], { client_spending: total })
    expect(agents).toMatchObject([{ cost_micro_usd: inside }])
    expect(outside).toEqual({
      cost_micro_usd: 1_200,
      models: [{ model: 'claude-opus-4-8', cost_micro_usd: 1_200 }],
    })
  })

  it('is priced for calls of which the client reports only tokens', async () => {
    const call = (model: string) => ({
      model,
      usage: usage({ input: 1_000, output: 100 }),
      cost_micro_usd: null,
    })
    const calls = (model: string): Partial<Session> => ({
      client_spending: { kind: 'calls', calls: [call(model)] },
    })
    const { outside } = await accountFrom([agent('main'), answered], calls('claude-opus-4-8'))
    expect(outside?.cost_micro_usd).toBe(inside)
    expect((await accountFrom([agent('main'), answered], calls('own-model'))).outside).toBeUndefined()
  })

  it('is absent if the client does not report it', async () => {
    expect(await accountFrom([agent('main'), answered])).not.toHaveProperty('outside')
  })
})

describe('duration of an agent', () => {
  const worked = [reply(1, 'a', { agent_id: 'a' }), reply(5, 'b', { agent_id: 'a' })]
  const made = (more: object, ...records: SessionRecord[]) =>
    accountFrom([agent('main'), agent('a', { tool_use_id: 't', ...more }), ...worked, ...records])
  const took = async (...of: Parameters<typeof made>) =>
    (await made(...of)).agents.find(({ agent_id }) => agent_id === 'a')?.duration_ms

  it("is the client's measurement, or the time between its first and last sign", async () => {
    const measured = { ...result('t'), duration_ms: 3_900 } as ReturnType<typeof result>
    expect(await took({}, calls(0, call('t', 'Agent')), ended(6, measured))).toBe(3_900)
    expect(await took({ duration_ms: 4_100 })).toBe(4_100)
    expect(await took({})).toBe(4_000)
  })

  it('is unknown for an agent seen only once', async () => {
    const { agents } = await accountFrom([agent('main'), reply(1)])
    expect(agents[0]?.duration_ms).toBeNull()
  })
})
