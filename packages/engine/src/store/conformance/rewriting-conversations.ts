import { describe, expect, it } from 'vitest'
import { ALL, answer, beginning, ending, epoch, exchange, head, opener } from './conversing-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeRewritingConversations(lab: StoreLab): void {
  describe('rewriting conversations', () => {
    const open = opener(useLab(lab))

    it('replaces a message and deletes what followed, with every state and summary that knew of it', async () => {
      const { conversations } = await open('one')
      const state = async (turn: string, runtime: string) => {
        value(await conversations.begin(beginning('c', turn, { runtime, answer: answer(turn, { runtime }) })))
        const synced_message_id = `${turn}-a`
        value(
          await conversations.end({
            ...ending('c', turn, { runtime }),
            compartment: { runtime, was: 0, value: { rev: 0, synced_message_id } },
          }),
        )
      }
      await state('two', 'hermes')
      await state('three', 'jarvis')
      value(
        await conversations.setEpoch(
          'c',
          epoch({ summarised_to: 'one-a', summary: 'of one', next: { summary: 'x', to: 'two-a' } }),
        ),
      )
      const seen = value(await conversations.window('c', { ...ALL, before: 'three-u' }))
      expect(Object.keys(seen?.agent_state.runtimes ?? {})).toEqual(['hermes'])
      expect(await conversations.begin(beginning('c', 'four', { replaces: 'two-a' }))).toMatchObject({
        code: 'invalid',
      })
      expect(await conversations.begin(beginning('c', 'four', { replaces: 'nowhere' }))).toMatchObject({
        code: 'not_found',
      })
      await exchange(conversations, 'c', 'four', { replaces: 'three-u' })
      const stored = value(await conversations.get('c'))
      expect(stored?.messages.map(({ id }) => id)).toEqual([
        'one-u',
        'one-a',
        'two-u',
        'two-a',
        'four-u',
        'four-a',
      ])
      expect(Object.keys(stored?.agent_state.runtimes ?? {})).toEqual(['hermes'])
      expect(stored?.epoch?.next).toEqual({ summary: 'x', to: 'two-a' })
      await exchange(conversations, 'c', 'five', { replaces: 'two-u' })
      const again = value(await conversations.get('c'))
      expect(again?.agent_state.runtimes).toEqual({})
      expect(again?.epoch).toEqual(epoch({ summarised_to: 'one-a', summary: 'of one' }))
      await exchange(conversations, 'c', 'six', { replaces: 'one-u' })
      expect(value(await conversations.get('c'))).toMatchObject({ epoch: null, messages_count: 2 })
    })

    it('forks at a message: same messages, same context, and runtimes that start fresh', async () => {
      const { conversations } = await open('one', 'two', 'three')
      value(await conversations.setEpoch('c', epoch({ summarised_to: 'one-a', summary: 'of one' })))
      const of = head('d', { forked_from: { id: 'c', message_id: 'two-a' } })
      expect(await conversations.fork('c', 'nowhere', of)).toMatchObject({ code: 'not_found' })
      expect(value(await conversations.get('d'))).toBeNull()
      value(await conversations.fork('c', 'two-a', of))
      const forked = value(await conversations.get('d'))
      expect(forked?.messages.map(({ content }) => content)).toEqual(
        value(await conversations.get('c'))
          ?.messages.slice(0, 4)
          .map(({ content }) => content),
      )
      expect(forked?.agent_state).toEqual({ v: 1, active: null, runtimes: {} })
      const window = value(await conversations.window('d', ALL))
      expect([...(window?.preambles.values() ?? [])]).toEqual(['before two'])
      expect(window?.epoch).toEqual(
        epoch({ summarised_to: forked?.messages[1]?.id ?? '', summary: 'of one' }),
      )
      await exchange(conversations, 'd', 'four')
      expect(value(await conversations.get('c'))?.messages_count).toBe(6)
      expect(value(await conversations.get('d'))?.messages_count).toBe(6)
    })

    it('leaves out personal context when the fork belongs to somebody else', async () => {
      const { conversations } = await open('one', 'two')
      value(await conversations.setEpoch('c', epoch({ summarised_to: 'one-a', summary: 'of one' })))
      value(await conversations.fork('c', 'two-a', head('d', { owner: 'bob' })))
      const window = value(await conversations.window('d', ALL))
      expect(window?.messages).toHaveLength(4)
      expect([window?.epoch, [...(window?.preambles.values() ?? [])]]).toEqual([null, []])
      for (const { id } of window?.messages ?? []) expect(value(await conversations.sent('d', id))).toBeNull()
    })

    it('remembers who answered first, even after a replacement, but not in a fork', async () => {
      const { conversations } = await open()
      const first = async (id = 'c') => value(await conversations.get(id))?.first_runtime
      const run = (turn: string, runtime: string, more: object = {}) =>
        exchange(conversations, 'c', turn, { runtime, answer: answer(turn, { runtime }), ...more })
      expect(await first()).toBeUndefined()
      await run('one', 'jarvis')
      await run('two', 'acp:mine', { replaces: 'one-u' })
      expect(await first()).toBe('jarvis')
      value(await conversations.fork('c', 'two-a', head('d')))
      expect(await first('d')).toBeUndefined()
      value(await conversations.begin(beginning('d', 'three', { runtime: 'acp:mine' })))
      expect(await first('d')).toBe('acp:mine')
    })
  })
}
