import { describe, expect, it } from 'vitest'
import { agent, type IndexLab, message, session, told, useIndex, value } from './lab.ts'

/** What is kept of sessions, and how they are told. */
export function describeKeeping(lab: IndexLab): void {
  const kept = useIndex(lab)

  describe('the index of sessions', () => {
    it('knows the fingerprint of each session that was told to its end', async () => {
      await kept.change(told(session('s1'), [message('one')]))
      await kept.change([{ type: 'begin', source: 'claude-code', id: 's2', place: '/there/s2' }])
      expect([...value(await kept.index.known('claude-code'))]).toEqual([['s1', 'f-s1']])
      expect([...value(await kept.index.known('hermes'))]).toEqual([])
      expect(await kept.listed()).toEqual(['s1'])
    })

    it('adds up what a session was, and says of how much it does not know the cost', async () => {
      const usage = {
        input: 10,
        output: 5,
        cache_read: 2,
        cache_write: 1,
        cache_write_1h: null,
        reasoning: null,
      }
      const reply = { role: 'assistant', model: 'm' } as const
      await kept.change(
        told(session('s1'), [
          message('ask'),
          message('a', { ...reply, usage, cost_micro_usd: 7, tools: ['Bash', 'Read'] }),
          message('b', { role: 'tool', errors: 1 }),
          message('c', { ...reply, usage, cost_micro_usd: null, tools: ['Bash'] }),
          message('d', reply),
        ]),
      )
      const one = value(await kept.index.get('claude-code', 's1'))
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

    it('counts by tool the sessions that used it, and its own calls', async () => {
      await kept.change(told(session('s1'), [message('a', { tools: ['Bash', 'Bash', 'Read'] })]))
      await kept.change(told(session('s2'), [message('b', { tools: ['Bash'] })]))
      const rows = value(await kept.index.stats({}, 'tool'))
      expect(rows.map(({ name, sessions, tool_calls }) => [name, sessions, tool_calls])).toEqual([
        ['Bash', 2, 3],
        ['Read', 1, 1],
      ])
      expect(value(await kept.index.stats({ tool: 'Read' }, 'tool')).map(({ name }) => name)).toEqual([
        'Bash',
        'Read',
      ])
    })

    it('replaces a session that is told again, and forgets one that is dropped', async () => {
      await kept.change(told(session('s1'), [message('first words'), message('second words')]))
      await kept.change(told(session('s1', { fingerprint: 'new' }), [message('other words')]))
      expect(await kept.found('first ')).toEqual([])
      expect(await kept.found('words ')).toEqual(['s1 0'])
      await kept.change([{ type: 'drop', source: 'claude-code', id: 's1' }])
      expect(await kept.found('words ')).toEqual([])
      expect(await kept.listed()).toEqual([])
    })

    it('writes all of a list of changes or none', async () => {
      const bad = [
        ...told(session('s1'), [message('x')]),
        { type: 'end', session: session('never begun') } as const,
      ]
      expect((await kept.index.write(bad)).ok).toBe(false)
      expect(await kept.listed()).toEqual([])
      await kept.change(told(session('s1'), [message('x')]))
      expect(await kept.listed()).toEqual(['s1'])
    })

    it('lists the newest first, and by what they have in common', async () => {
      await kept.change(
        told(session('old', { last_at: 1, project: 'a' }), [message('x', { tools: ['Bash'] })]),
      )
      await kept.change(
        told(session('new', { last_at: 9, source: 'hermes', model: 'other' }), [message('x', { errors: 2 })]),
      )
      expect(await kept.listed()).toEqual(['new', 'old'])
      expect(await kept.listed({ source: 'hermes' })).toEqual(['new'])
      expect(await kept.listed({ project: 'a' })).toEqual(['old'])
      expect(await kept.listed({ model: 'other' })).toEqual(['new'])
      expect(await kept.listed({ tool: 'Bash' })).toEqual(['old'])
      expect(await kept.listed({ since: 2 })).toEqual(['new'])
      expect(await kept.listed({ until: 2 })).toEqual(['old'])
      expect(await kept.listed({ errors: true })).toEqual(['new'])
      expect(await kept.listed({ id: 'o' })).toEqual(['old'])
      expect(await kept.listed({ limit: 1, offset: 1 })).toEqual(['old'])
    })
  })

  describe('sessions that are too old', () => {
    const known = async () => [...value(await kept.index.known('claude-code')).keys()].sort()
    const begin = (id: string) => ({ type: 'begin', source: 'claude-code', id, place: '/there' }) as const

    it('are known and not listed, and are to be read again under a limit that lets them be', async () => {
      for (const at of [1, 5, 9])
        await kept.change(told(session(`s${at}`, { last_at: at }), [message(`words${at}`)]))
      expect(value(await kept.index.retain(6))).toBe(2)
      expect([await kept.listed(), await known(), await kept.found('words')]).toEqual([
        ['s9'],
        ['s1', 's5', 's9'],
        ['s9 0'],
      ])
      expect(value(await kept.index.retain(4))).toBe(0)
      expect([await kept.listed(), await known()]).toEqual([['s9'], ['s1', 's9']])
      value(await kept.index.retain(null))
      expect(await known()).toEqual(['s9'])
    })

    it('are among those of whom something is kept that is not listed, as are those that were only begun', async () => {
      await kept.change(
        told(session('old'), [message('x')]),
        told(session('new', { last_at: 3_000 }), [message('x')]),
      )
      await kept.change([begin('half'), begin('new')])
      value(await kept.index.retain(2_500))
      const hidden = value(await kept.index.hidden()).map(({ id, why }) => `${id} ${why}`)
      expect(hidden.sort()).toEqual(['half begun', 'new begun', 'old aged'])
      const all = ['half', 'new', 'old'].map((id) => ({ source: 'claude-code', id }))
      expect(value(await kept.index.forget(all))).toEqual({ sessions: 2, messages: 1 })
      expect([value(await kept.index.hidden()), await known()]).toEqual([[], []])
    })
  })

  describe('a session that is told again', () => {
    const begun = [
      { type: 'begin', source: 'claude-code', id: 's1', place: '/there/s1' },
      { type: 'agent', source: 'claude-code', id: 's1', agent: agent('another') },
      { type: 'messages', source: 'claude-code', id: 's1', messages: [message('new words')] },
    ] as const
    const agents = async () => value(await kept.index.agents('claude-code', 's1')).map(({ id }) => id)
    const now = async () => [
      await kept.listed(),
      await kept.found('new '),
      await kept.found('old '),
      await agents(),
    ]

    it('is what it was until it ends, and then what it is told to be', async () => {
      await kept.change(told(session('s1'), [message('old words')]))
      await kept.change(begun)
      expect(await now()).toEqual([['s1'], [], ['s1 0'], []])
      await kept.change([{ type: 'end', session: session('s1', { fingerprint: 'new' }) }])
      expect(await now()).toEqual([['s1'], ['s1 0'], [], ['another']])
    })

    it('stays what it was when it is left', async () => {
      await kept.change(told(session('s1'), [message('old words')]))
      await kept.change(begun)
      await kept.change([{ type: 'leave', source: 'claude-code', id: 's1' }])
      expect(await now()).toEqual([['s1'], [], ['s1 0'], []])
      expect(value(await kept.index.hidden())).toEqual([])
    })
  })
}
