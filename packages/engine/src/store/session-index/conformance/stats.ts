import { describe, expect, it } from 'vitest'
import type { IndexedMessage } from '../port.ts'
import { type IndexLab, message, session, useIndex, value } from './lab.ts'

export function describeStats(lab: IndexLab): void {
  const bench = useIndex(lab)
  const { write } = bench
  const tokens = (input: number) => ({
    input,
    output: 1,
    cache_read: null,
    cache_write: null,
    cache_write_1h: null,
    reasoning: null,
  })
  const reply = (model: string, input: number, more: Partial<IndexedMessage> = {}) =>
    message(`by ${model}`, {
      role: 'assistant',
      model,
      usage: tokens(input),
      cost_micro_usd: input * 2,
      ...more,
    })
  const failed = (tool: string) => message('boom', { role: 'tool', errors: 1, failed: [tool] })

  describe('statistics by tool', () => {
    it("have the tool's calls and errors, but no cost or messages of the whole session", async () => {
      const paid = reply('m', 10, { tools: ['Read', 'Bash', 'Bash'] })
      await write(session('s1'), [message('ask'), paid, failed('Bash'), failed('Bash')])
      await write(session('s2'), [reply('m', 5, { tools: ['Bash', 'Edit'] }), message('x', { errors: 1 })])
      const row = (name: string, sessions: number, tool_calls: number, errors: number) => {
        return { name, sessions, messages: null, tool_calls, errors, spent: null }
      }
      expect(value(await bench.index.stats({}, 'tool'))).toEqual([
        row('Bash', 2, 3, 2),
        row('Edit', 1, 1, 0),
        row('Read', 1, 1, 0),
      ])
    })
  })

  describe('statistics by host', () => {
    const of = async (source: string, id: string, place: string) =>
      await bench.change([
        { type: 'begin', source, id, place },
        { type: 'messages', source, id, messages: [reply('m', 10)] },
        { type: 'end', session: session(id, { source }) },
      ])

    it('distinguish, list, find and count sessions by known host', async () => {
      await of('claude-code', 's1', 'hub:desk#s1')
      await of('claude-code', 's#2', 'hub:lap#top#s#2')
      await of('hermes', 's3', 'hub:desk#s3')
      await of('claude-code', 's4', '/there/s4')
      await of('panoptes', 's5', 'hub:space_main#s5')
      const hosts = value(await bench.index.list({ limit: 9 })).map(({ id, host }) => [id, host])
      expect(new Map(hosts as [string, string | undefined][])).toEqual(
        new Map([
          ['s1', 'desk'],
          ['s#2', 'lap#top'],
          ['s3', 'desk'],
          ['s4', undefined],
          ['s5', undefined],
        ]),
      )
      expect((await bench.listed({ host: 'desk' })).sort()).toEqual(['s1', 's3'])
      expect(await bench.listed({ host: 'space_main' })).toEqual([])
      expect(await bench.found('by', { host: 'lap#top' })).toEqual(['s#2 0'])
      const counted = value(await bench.index.stats({}, 'host')).map(({ name, sessions }) => [name, sessions])
      expect(counted).toEqual([
        ['desk', 2],
        ['–', 2],
        ['lap#top', 1],
      ])
    })
  })

  describe('spending outside transcripts', () => {
    const calls = (cost: number | null) => ({
      client_spending: {
        kind: 'calls' as const,
        calls: [{ model: 'm', usage: tokens(1), cost_micro_usd: cost }],
      },
    })

    it('is summed up with the number of unknown sessions, and absent by model and by tool', async () => {
      const used = [reply('m', 10, { tools: ['Read'] })]
      await write(session('s1', calls(300)), used)
      await write(session('s2', calls(40)), used)
      await write(session('s3', calls(null)), used)
      await write(session('s4'), used)
      const sums = async (by: 'source' | 'model' | 'tool') =>
        value(await bench.index.stats({}, by)).map((row) => [row.outside_micro_usd, row.outside_unknown])
      expect(await sums('source')).toEqual([[340, 2]])
      const byPart = [...(await sums('model')), ...(await sums('tool'))]
      expect(new Set(byPart.flat())).toEqual(new Set([undefined]))
    })
  })

  describe('statistics by model', () => {
    const rows = async () =>
      value(await bench.index.stats({}, 'model')).map(
        ({ name, sessions, messages, tool_calls, errors, spent }) => [
          name,
          ...[sessions, messages, tool_calls, errors, spent?.input, spent?.cost_micro_usd],
        ],
      )

    it('divide a session among its models, which together are all of it', async () => {
      await write(session('s1', { model: 'big' }), [
        message('ask'),
        reply('big', 100, { tools: ['Bash', 'Bash'] }),
        failed('Bash'),
        message('ask the other'),
        reply('small', 10, { tools: ['Read'] }),
        failed('Read'),
        message('ask a helper', { agent_id: 'a1' }),
        reply('small', 1, { agent_id: 'a1' }),
        message('never answered'),
      ])
      await write(session('s2', { model: 'small' }), [message('ask'), reply('small', 5)])
      expect(await rows()).toEqual([
        ['big', 1, 3, 2, 1, 100, 200],
        ['small', 2, 8, 1, 1, 16, 32],
      ])
      const [all] = value(await bench.index.stats({}, 'source'))
      expect(all).toMatchObject({ sessions: 2, messages: 11, tool_calls: 3, errors: 2 })
      expect(all?.spent).toMatchObject({ input: 116, cost_micro_usd: 232 })
    })

    it('assign a whole-session amount to the model that the source names', async () => {
      const whole = { model: 'big', usage: tokens(1_000), cost_micro_usd: 7 }
      await write(session('s1', whole), [message('ask'), reply('big', 1), reply('small', 1)])
      await write(session('s2', { model: null }), [message('nobody answered')])
      expect(await rows()).toEqual([
        ['big', 1, 2, 0, 0, 1_000, 7],
        ['small', 1, 1, 0, 0, 0, 0],
        ['–', 1, 1, 0, 0, 0, 0],
      ])
    })

    it('find sessions by each model that answered, not only the most frequent one', async () => {
      await write(session('s1', { model: 'big' }), [reply('big', 1), reply('small', 1, { usage: null })])
      await write(session('s2', { model: 'big' }), [reply('big', 1)])
      const listed = async (model: string) =>
        value(await bench.index.list({ model, limit: 9 })).map(({ id }) => id)
      expect(await listed('small')).toEqual(['s1'])
      expect((await listed('big')).sort()).toEqual(['s1', 's2'])
      expect(await listed('other')).toEqual([])
      const [found] = value(await bench.index.search({ text: 'by', model: 'small', limit: 9 }))
      expect(found?.session_id).toBe('s1')
    })
  })
}
