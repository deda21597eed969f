import { describe, expect, it } from 'vitest'
import type { FoldRow, IndexChange } from '../port.ts'
import { agent, type IndexLab, message, session, sessionChanges, useIndex, value } from './lab.ts'

/** Checks what the index stores of sessions and how sessions are written to it. */
export function describeKeeping(lab: IndexLab): void {
  const bench = useIndex(lab)

  describe('session index', () => {
    it('returns the fingerprint of each completed session', async () => {
      await bench.change(sessionChanges(session('s1'), [message('one')]))
      await bench.change([{ type: 'begin', source: 'claude-code', id: 's2', place: '/there/s2' }])
      expect([...value(await bench.index.fingerprints('claude-code'))]).toEqual([['s1', 'f-s1']])
      expect([...value(await bench.index.fingerprints('hermes'))]).toEqual([])
      expect(await bench.listed()).toEqual(['s1'])
    })

    it('sums up a session, and reports how much has an unknown cost', async () => {
      const usage = {
        input: 10,
        output: 5,
        cache_read: 2,
        cache_write: 1,
        cache_write_1h: null,
        reasoning: null,
      }
      const reply = { role: 'assistant', model: 'm' } as const
      await bench.change(
        sessionChanges(session('s1'), [
          message('ask'),
          message('a', { ...reply, usage, cost_micro_usd: 7, tools: ['Bash', 'Read'] }),
          message('b', { role: 'tool', errors: 1 }),
          message('c', { ...reply, usage, cost_micro_usd: null, tools: ['Bash'] }),
          message('d', reply),
        ]),
      )
      const one = value(await bench.index.get('claude-code', 's1'))
      expect(one).toMatchObject({ messages: 5, tool_calls: 3, errors: 1, place: '/there/s1' })
      expect(one?.spent).toEqual({
        input: 20,
        output: 10,
        cache_read: 4,
        cache_write: 2,
        reasoning: 0,
        cost_micro_usd: 7,
        usage_unknown: 1,
        cost_unknown: 1,
      })
    })

    it('counts by tool the sessions that used it and its own calls', async () => {
      await bench.change(sessionChanges(session('s1'), [message('a', { tools: ['Bash', 'Bash', 'Read'] })]))
      await bench.change(sessionChanges(session('s2'), [message('b', { tools: ['Bash'] })]))
      const rows = value(await bench.index.stats({}, 'tool'))
      expect(rows.map(({ name, sessions, tool_calls }) => [name, sessions, tool_calls])).toEqual([
        ['Bash', 2, 3],
        ['Read', 1, 1],
      ])
      expect(value(await bench.index.stats({ tool: 'Read' }, 'tool')).map(({ name }) => name)).toEqual([
        'Bash',
        'Read',
      ])
    })

    it('replaces a session that is sent again, and removes a dropped one', async () => {
      await bench.change(sessionChanges(session('s1'), [message('first words'), message('second words')]))
      await bench.change(sessionChanges(session('s1', { fingerprint: 'new' }), [message('other words')]))
      expect(await bench.found('first ')).toEqual([])
      expect(await bench.found('words ')).toEqual(['s1 0'])
      await bench.change([{ type: 'drop', source: 'claude-code', id: 's1' }])
      expect(await bench.found('words ')).toEqual([])
      expect(await bench.listed()).toEqual([])
    })

    it('keeps what folds made of a session until it is forgotten, the newest version of each', async () => {
      const row = (fold: string, version: string) => ({
        ...{ fold, version, listed: '{"id":"s1"}', doc: JSON.stringify({ fold, version }) },
      })
      const write = (folds: readonly FoldRow[]) => {
        const [begin, messages] = sessionChanges(session('s1'), [message('x')])
        return bench.change([
          begin,
          messages,
          { type: 'end', session: session('s1'), folds },
        ] as IndexChange[])
      }
      await write([row('a', '1'), row('b', '1')])
      await write([row('a', '2')])
      const versions = async (fold: string) => value(await bench.index.folded(fold, 'claude-code'))
      expect(await versions('a')).toEqual([{ version: '2', listed: '{"id":"s1"}' }])
      expect(await versions('b')).toEqual([{ version: '1', listed: '{"id":"s1"}' }])
      expect([...value(await bench.index.foldDocs('a', 'claude-code', ['s1', 's2']))]).toEqual([
        ['s1', '{"fold":"a","version":"2"}'],
      ])
      await bench.change([{ type: 'drop', source: 'claude-code', id: 's1' }])
      expect(await versions('a')).toHaveLength(1)
      value(await bench.index.forget([{ source: 'claude-code', id: 's1' }]))
      expect(await versions('a')).toEqual([])
      expect(await versions('b')).toEqual([])
    })

    it('lets all sessions be read again when the rules of a fold change, and shows them meanwhile', async () => {
      const refold = async (...rules: readonly [string, string][]) =>
        value(await bench.index.refolded(new Map(rules)))
      expect(await refold(['a', '1'], ['b', '1'])).toBe(0)
      await bench.change(sessionChanges(session('s1'), [message('x')]))
      await bench.change(sessionChanges(session('s2'), [message('y')]))
      expect(await refold(['a', '1'], ['b', '1'])).toBe(0)
      expect(await refold(['a', '1'], ['b', '2'])).toBe(2)
      expect([...value(await bench.index.fingerprints('claude-code')).values()]).toEqual(['', ''])
      expect((await bench.listed()).toSorted()).toEqual(['s1', 's2'])
      expect(await refold(['a', '1'], ['b', '2'])).toBe(0)
    })

    it('lets sessions that are too old be read again when the rules of a fold change', async () => {
      await bench.change(sessionChanges(session('s1', { last_at: 5 }), [message('x')]))
      value(await bench.index.refolded(new Map([['a', '1']])))
      await bench.change(sessionChanges(session('s1', { last_at: 5 }), [message('x')]))
      expect(value(await bench.index.retain(6))).toBe(1)
      expect(value(await bench.index.refolded(new Map([['a', '2']])))).toBe(1)
      expect(value(await bench.index.hidden())).toEqual([])
      expect(value(await bench.index.fingerprints('claude-code')).size).toBe(0)
    })

    it('writes all changes of a list or none', async () => {
      const bad = [
        ...sessionChanges(session('s1'), [message('x')]),
        { type: 'end', session: session('never begun') } as const,
      ]
      expect((await bench.index.write(bad)).ok).toBe(false)
      expect(await bench.listed()).toEqual([])
      await bench.change(sessionChanges(session('s1'), [message('x')]))
      expect(await bench.listed()).toEqual(['s1'])
    })

    it('lists newest first, and filters by shared properties', async () => {
      await bench.change(
        sessionChanges(session('old', { last_at: 1, project: 'a' }), [message('x', { tools: ['Bash'] })]),
      )
      await bench.change(
        sessionChanges(session('new', { last_at: 9, source: 'hermes', model: 'other' }), [
          message('x', { errors: 2 }),
        ]),
      )
      expect(await bench.listed()).toEqual(['new', 'old'])
      expect(await bench.listed({ source: 'hermes' })).toEqual(['new'])
      expect(await bench.listed({ project: 'a' })).toEqual(['old'])
      expect(await bench.listed({ model: 'other' })).toEqual(['new'])
      expect(await bench.listed({ tool: 'Bash' })).toEqual(['old'])
      expect(await bench.listed({ since: 2 })).toEqual(['new'])
      expect(await bench.listed({ until: 2 })).toEqual(['old'])
      expect(await bench.listed({ errors: true })).toEqual(['new'])
      expect(await bench.listed({ id: 'o' })).toEqual(['old'])
      expect(await bench.listed({ limit: 1, offset: 1 })).toEqual(['old'])
    })
  })

  describe('sessions beyond the age limit', () => {
    const readIds = async () => [...value(await bench.index.fingerprints('claude-code')).keys()].sort()
    const begin = (id: string) => ({ type: 'begin', source: 'claude-code', id, place: '/there' }) as const

    it('are known but not listed, and are read again under a limit that allows them', async () => {
      for (const at of [1, 5, 9])
        await bench.change(sessionChanges(session(`s${at}`, { last_at: at }), [message(`words${at}`)]))
      expect(value(await bench.index.retain(6))).toBe(2)
      expect([await bench.listed(), await readIds(), await bench.found('words')]).toEqual([
        ['s9'],
        ['s1', 's5', 's9'],
        ['s9 0'],
      ])
      expect(value(await bench.index.retain(4))).toBe(0)
      expect([await bench.listed(), await readIds()]).toEqual([['s9'], ['s1', 's9']])
      value(await bench.index.retain(null))
      expect(await readIds()).toEqual(['s9'])
    })

    it('count as hidden, like those that were only begun', async () => {
      await bench.change(
        sessionChanges(session('old'), [message('x')]),
        sessionChanges(session('new', { last_at: 3_000 }), [message('x')]),
      )
      await bench.change([begin('half'), begin('new')])
      value(await bench.index.retain(2_500))
      const hidden = value(await bench.index.hidden()).map(({ id, why }) => `${id} ${why}`)
      expect(hidden.sort()).toEqual(['half begun', 'new begun', 'old aged'])
      const all = ['half', 'new', 'old'].map((id) => ({ source: 'claude-code', id }))
      expect(value(await bench.index.forget(all))).toEqual({ sessions: 2, messages: 1 })
      expect([value(await bench.index.hidden()), await readIds()]).toEqual([[], []])
    })
  })

  describe('session that is sent again', () => {
    const begun = [
      { type: 'begin', source: 'claude-code', id: 's1', place: '/there/s1' },
      { type: 'agent', source: 'claude-code', id: 's1', agent: agent('another') },
      { type: 'messages', source: 'claude-code', id: 's1', messages: [message('new words')] },
    ] as const
    const agents = async () => value(await bench.index.agents('claude-code', 's1')).map(({ id }) => id)
    const now = async () => [
      await bench.listed(),
      await bench.found('new '),
      await bench.found('old '),
      await agents(),
    ]

    it('keeps its old version until it ends, and then has the new one', async () => {
      await bench.change(sessionChanges(session('s1'), [message('old words')]))
      await bench.change(begun)
      expect(await now()).toEqual([['s1'], [], ['s1 0'], []])
      await bench.change([{ type: 'end', session: session('s1', { fingerprint: 'new' }) }])
      expect(await now()).toEqual([['s1'], ['s1 0'], [], ['another']])
    })

    it('keeps its old version when the new one is abandoned', async () => {
      await bench.change(sessionChanges(session('s1'), [message('old words')]))
      await bench.change(begun)
      await bench.change([{ type: 'leave', source: 'claude-code', id: 's1' }])
      expect(await now()).toEqual([['s1'], [], ['s1 0'], []])
      expect(value(await bench.index.hidden())).toEqual([])
    })
  })
}
