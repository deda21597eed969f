import type { SessionRecord } from '@panoptes/engine/sources'
import type { TokenUsage } from '@panoptes/schema'
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

describe('the marker of an agent', () => {
  const marker = (shipped: string, more = '') => `Done.\nshipped: ${shipped}\nstubs: 1\n${more}`

  it('is the last one in its own words', async () => {
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

  it('is kept without secrets', async () => {
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

describe('claims', () => {
  it('are counted once for each message and place, also of a message in two parts', async () => {
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

describe('what was paid for', () => {
  const paid = (at: number, input: number, more = {}) =>
    reply(at, 'ok', { usage: usage({ input, output: 1 }), ...more })

  it('is summed over the whole transcript, by day, agent and model; what is not known is counted', async () => {
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
      // 10 × 5 + 25, and 7 as it was told.
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

  it('is unknown and not zero where nothing is told', async () => {
    const { agents } = await accountFrom([agent('main'), reply(1)])
    expect(agents).toMatchObject([
      { tokens_in: null, tokens_out: null, cost_micro_usd: null, cost_unknown: 1 },
    ])
  })

  it('of a session whose source tells of the whole is shared out by replies, and adds up', async () => {
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

  it('without a time is of the day of the session', async () => {
    const { cells } = await accountFrom([agent('main'), paid(0, 10, { ts: null })], { last_at: START })
    expect(cells).toMatchObject([{ day: '2026-11-16', tokens_in: 10 }])
  })
})

it('fails with what the source could not read, and where it was not read to its end', async () => {
  await expect(
    accountFrom([agent('main'), { kind: 'failed', failure: { ok: false, code: 'io', message: 'gone' } }]),
  ).rejects.toThrow('gone')
})

it('comes out the same however the messages of agents are interleaved', async () => {
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
