import { describe, expect, it } from 'vitest'
import { ALL, answer, beginning, ending, exchange, head, message, opener } from './conversing-kit.ts'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeConversing(lab: StoreLab): void {
  describe('conversations', () => {
    const bench = useLab(lab)
    const open = opener(bench)

    it('store questions and answers in order, with who answered', async () => {
      const { conversations } = await open('one', 'two')
      expect(value(await conversations.get('c'))).toMatchObject({
        id: 'c',
        runtime: 'jarvis',
        run_id: null,
        messages_count: 4,
        updated_at: 3_000,
        agent_state: { v: 1, active: 'jarvis', runtimes: {} },
        messages: [message('one-u'), ending('c', 'one').answer, message('two-u'), ending('c', 'two').answer],
      })
      expect(value(await conversations.get('other'))).toBeNull()
    })

    it('have one run at a time, which reports progress and ends once', async () => {
      const { conversations } = await open()
      expect(await conversations.begin(beginning('other', 'x'))).toMatchObject({ code: 'not_found' })
      value(await conversations.begin(beginning('c', 'one', { title: 'First' })))
      expect(value(await conversations.get('c'))).toMatchObject({ title: 'First', run_id: 'one-run' })
      expect(await conversations.begin(beginning('c', 'two'))).toMatchObject({ code: 'busy' })
      expect(value(await conversations.get('c'))?.messages).toHaveLength(2)
      expect(value(await conversations.unended())).toEqual([{ conversation: 'c', run_id: 'one-run' }])
      const part = { conversation: 'c', run_id: 'one-run', answer: answer('one', { content: 'so far' }) }
      value(await conversations.progress({ ...part, events: '{"n":1}\n{"n":2}\n' }))
      value(await conversations.progress({ ...part, events: '{"n":3}\n' }))
      expect(value(await conversations.get('c'))?.messages[1]).toMatchObject({
        content: 'so far',
        status: 'partial',
      })
      value(await conversations.end(ending('c', 'one', { status: 'cancelled' })))
      expect(value(await conversations.list({ limit: 9 })).rows[0]?.last_status).toBe('cancelled')
      expect(value(await conversations.events('one-run'))).toEqual({
        conversation: 'c',
        events: '{"n":1}\n{"n":2}\n{"n":3}\n{"last":"one"}\n',
      })
      expect(value(await conversations.unended())).toEqual([])
      expect(value(await conversations.events('other-run'))).toBeNull()
    })

    it('accept nothing from a run that has ended', async () => {
      const { conversations } = await open('one')
      const before = value(await conversations.get('c'))
      expect(await conversations.end(ending('c', 'one', { content: 'late' }))).toMatchObject({
        code: 'invalid',
      })
      expect(await conversations.progress(ending('c', 'one', { content: 'late' }))).toMatchObject({
        code: 'invalid',
      })
      value(await conversations.begin(beginning('c', 'two')))
      expect(await conversations.end(ending('c', 'one', { content: 'late' }))).toMatchObject({
        code: 'invalid',
      })
      value(await conversations.end(ending('c', 'two')))
      expect(value(await conversations.get('c'))?.messages.slice(0, 2)).toEqual(before?.messages)
    })

    it('keep a state per runtime, which only its own run writes, based on the revision it began with', async () => {
      const { conversations } = await open()
      const run = async (turn: string, runtime: string, was: number, more: object) => {
        value(await conversations.begin(beginning('c', turn, { runtime, answer: answer(turn, { runtime }) })))
        return conversations.end({
          ...ending('c', turn, { runtime }),
          compartment: { runtime, was, value: { rev: was, ...more } },
        })
      }
      expect(value(await run('one', 'jarvis', 0, { plan: 'a' }))).toEqual({ state_revision: 1 })
      expect(value(await run('two', 'hermes', 0, { session_id: 's' }))).toEqual({ state_revision: 2 })
      expect(value(await run('three', 'jarvis', 1, { plan: 'b' }))).toEqual({ state_revision: 3 })
      const state = {
        v: 1,
        active: 'jarvis',
        runtimes: { jarvis: { rev: 2, plan: 'b' }, hermes: { rev: 1, session_id: 's' } },
      }
      expect(value(await conversations.get('c'))?.agent_state).toEqual(state)
      expect(await run('four', 'jarvis', 1, { plan: 'stale' })).toMatchObject({ code: 'invalid' })
      expect(
        await conversations.end({
          ...ending('c', 'four'),
          compartment: { runtime: 'hermes', was: 1, value: { rev: 1 } },
        }),
      ).toMatchObject({ code: 'invalid' })
      const stored = value(await conversations.get('c'))
      expect(stored).toMatchObject({ agent_state: state, state_revision: 3, run_id: 'four-run' })
      expect(stored?.messages.at(-1)).toMatchObject({ status: 'partial', content: '' })
      expect(value(await conversations.end(ending('c', 'four')))).toEqual({ state_revision: 3 })
      expect(value(await conversations.get('c'))?.agent_state).toEqual(state)
    })

    it('keep the model that a person chose for a runtime, and no other', async () => {
      const { conversations } = await open()
      const model = async () => value(await conversations.get('c'))?.model
      const run = async (turn: string, runtime: string, chosen?: string | null) => {
        value(
          await conversations.begin(
            beginning('c', turn, { runtime, model: chosen, answer: answer(turn, { runtime }) }),
          ),
        )
        value(await conversations.end(ending('c', turn, { runtime, model: 'what answered' })))
        return model()
      }
      expect(await run('one', 'jarvis')).toBeNull()
      expect(await run('two', 'jarvis', 'big')).toBe('big')
      value(await conversations.change('c', { title: 'x', runtime: 'jarvis' }))
      expect(await model()).toBe('big')
      value(await conversations.change('c', { runtime: 'hermes' }))
      expect(await model()).toBeNull()
      value(await conversations.change('c', { model: 'of hermes' }))
      expect(await model()).toBe('of hermes')
      expect(await run('three', 'acp:mine', null)).toBeNull()
    })

    it('survive reopening, are not part of the log, and are in backups', async () => {
      const opened = await bench.open()
      const { conversations } = opened.store
      value(await opened.store.append([event(1)]))
      value(await conversations.create(head('c')))
      await exchange(conversations, 'c', 'one')
      value(await conversations.begin(beginning('c', 'two')))
      value(await conversations.remember({ id: 'f', ts: 1, text: 'tea' }))
      value(await opened.store.rebuild({ check: false }))
      const before = value(await conversations.get('c'))
      const again = await bench.reopen(opened)
      const file = bench.backupFile(again)
      value(await again.store.backup(file))
      for (const store of [again.store, await bench.restore(file)]) {
        expect(value(await store.conversations.get('c'))).toEqual(before)
        expect(value(await store.conversations.facts())).toHaveLength(1)
        expect(value(await store.conversations.unended())).toEqual([{ conversation: 'c', run_id: 'two-run' }])
        expect(value(await store.head()).last).toBe(1)
      }
    })

    it('are forgotten completely, without affecting others', async () => {
      const { conversations, store } = await open('one', 'two')
      await exchange(conversations, 'c', 'three', { replaces: 'two-u' })
      value(await conversations.create(head('d')))
      await exchange(conversations, 'd', 'four')
      const gone = [
        { source: 'panoptes', id: 'c' },
        { source: 'codex', id: 'd' },
      ]
      value(await store.forgetting.begin(gone))
      const removed = value(await store.forgetting.remove(gone))
      value(await store.forgetting.end(gone))
      expect(removed).toContainEqual({ from: 'ledger', what: 'conversations', count: 1 })
      expect(value(await conversations.get('c'))).toBeNull()
      expect(value(await conversations.window('c', ALL))).toBeNull()
      for (const turn of ['one', 'two', 'three'])
        expect(value(await conversations.events(`${turn}-run`))).toBeNull()
      expect(value(await conversations.sent('c', 'one-u'))).toBeNull()
      expect(value(await conversations.list({ limit: 9 })).rows.map(({ id }) => id)).toEqual(['d'])
      expect(value(await conversations.get('d'))?.messages).toHaveLength(2)
      expect(await conversations.begin(beginning('c', 'five'))).toMatchObject({ code: 'not_found' })
    })
  })
}
