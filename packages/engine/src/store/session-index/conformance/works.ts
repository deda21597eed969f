import { describe, expect, it } from 'vitest'
import type { IndexedMessage, SessionIndex } from '../port.ts'
import { type IndexLab, message, session, useIndex, value } from './lab.ts'

export function describeWorks(lab: IndexLab): void {
  const bench = useIndex(lab)
  const { write } = bench
  const usage = {
    input: 10,
    output: 5,
    cache_read: 3,
    cache_write: 2,
    cache_write_1h: null,
    reasoning: 4,
  }
  const reply = (more: Partial<IndexedMessage> = {}) =>
    message('yes', { role: 'assistant', model: 'm', usage, ...more })
  const failed = (tool: string) => message('boom', { role: 'tool', errors: 1, failed: [tool] })

  describe('session work', () => {
    it('sums up replies, calls, failures and tokens, with those of each tool', async () => {
      await write(session('s', { ended_at: 3_000 }), [
        message('ask'),
        reply({ tools: ['Read', 'Bash', 'Bash'] }),
        failed('Bash'),
        reply({ agent_id: 'helper' }),
        message('x', { role: 'tool', errors: 1 }),
      ])
      expect(value(await bench.index.works({ limit: 10 }))).toEqual([
        {
          source: 'claude-code',
          id: 's',
          title: 'Title of s',
          project: 'notes',
          started_at: 1_000,
          last_at: 2_000,
          ended_at: 3_000,
          turns: 2,
          tool_calls: 3,
          errors: 2,
          tokens: 40,
          tools: [
            { tool: 'Bash', calls: 2, errors: 1 },
            { tool: 'Read', calls: 1, errors: 0 },
          ],
        },
      ])
    })

    it('counts replies of long sessions, whatever their ids are', async () => {
      const long = Array.from({ length: 401 }, (_, n) =>
        n % 2 ? message(`${n}`) : reply({ id: `"a\\a${n}`, agent_id: n % 3 ? 'main' : 'aa' }),
      )
      await write(session('long'), long)
      await write(session('next'), [reply()])
      const works = value(await bench.index.works({ limit: 10 }))
      expect(works.map(({ id, turns }) => [id, turns])).toEqual([
        ['next', 1],
        ['long', 201],
      ])
    })

    it('leaves tokens unknown when those of a reply, or of all, are', async () => {
      await write(session('some', { last_at: 4 }), [reply(), reply({ usage: null })])
      await write(session('none', { last_at: 3 }), [reply({ usage: null, model: null })])
      await write(session('whole', { last_at: 2, usage }), [reply({ usage: null })])
      await write(session('empty', { last_at: 1 }), [])
      const works = value(await bench.index.works({ limit: 10 }))
      expect(works.map(({ id, tokens, turns }) => [id, tokens, turns])).toEqual([
        ['some', null, 2],
        ['none', null, 1],
        ['whole', 20, 1],
        ['empty', 0, 0],
      ])
      expect(works.map(({ tools }) => tools)).toEqual([[], [], [], []])
    })

    it('returns the requested sessions, newest first', async () => {
      for (const [n, id] of ['a', 'b', 'c', 'd'].entries())
        await write(session(id, { last_at: n * 1_000, project: n % 2 ? 'odd' : 'even' }), [reply()])
      const ids = async (query: Partial<Parameters<SessionIndex['works']>[0]>) =>
        value(await bench.index.works({ limit: 10, ...query })).map(({ id }) => id)
      expect(await ids({})).toEqual(['d', 'c', 'b', 'a'])
      expect(await ids({ limit: 2 })).toEqual(['d', 'c'])
      expect(await ids({ project: 'odd' })).toEqual(['d', 'b'])
      expect(await ids({ since: 2_000 })).toEqual(['d', 'c'])
      expect(await ids({ source: 'codex' })).toEqual([])
      expect(await ids({ of: [{ source: 'claude-code', id: 'b' }] })).toEqual(['b'])
      expect(await ids({ of: [] })).toEqual([])
    })
  })
}
