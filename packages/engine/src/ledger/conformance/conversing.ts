import { describe, expect, it } from 'vitest'
import { answer, beginning, CONTEXT, ending, epoch, exchange, head, message } from './conversing-kit.ts'
import { event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

const ALL = { chars: 1_000_000 }

export function describeConversing(lab: LedgerLab): void {
  describe('conversations', () => {
    const bench = useLab(lab)
    const open = async (...turns: readonly string[]) => {
      const { ledger } = await bench.open()
      const { conversations } = ledger
      value(await conversations.create(head('c')))
      for (const turn of turns) await exchange(conversations, 'c', turn)
      return { conversations, ledger }
    }

    it('keep what was asked and answered, in order, and who answered', async () => {
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

    it('have one run at a time, which is told while it goes on and once when it ends', async () => {
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

    it('hear nothing more of a run that has ended', async () => {
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

    it('keep a state for each runtime, which only a run of that runtime writes, from the revision it began with', async () => {
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
      const kept = value(await conversations.get('c'))
      expect(kept).toMatchObject({ agent_state: state, state_revision: 3, run_id: 'four-run' })
      expect(kept?.messages.at(-1)).toMatchObject({ status: 'partial', content: '' })
      expect(value(await conversations.end(ending('c', 'four')))).toEqual({ state_revision: 3 })
      expect(value(await conversations.get('c'))?.agent_state).toEqual(state)
    })

    it('let a message take the place of another: what followed that goes, with every state and summary that knew of it', async () => {
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
      const kept = value(await conversations.get('c'))
      expect(kept?.messages.map(({ id }) => id)).toEqual([
        'one-u',
        'one-a',
        'two-u',
        'two-a',
        'four-u',
        'four-a',
      ])
      expect(Object.keys(kept?.agent_state.runtimes ?? {})).toEqual(['hermes'])
      expect(kept?.epoch?.next).toEqual({ summary: 'x', to: 'two-a' })
      await exchange(conversations, 'c', 'five', { replaces: 'two-u' })
      const again = value(await conversations.get('c'))
      expect(again?.agent_state.runtimes).toEqual({})
      expect(again?.epoch).toEqual(epoch({ summarised_to: 'one-a', summary: 'of one' }))
      await exchange(conversations, 'c', 'six', { replaces: 'one-u' })
      expect(value(await conversations.get('c'))).toMatchObject({ epoch: null, messages_count: 2 })
    })

    it('fork at a message: the same words, sent the same, and runtimes that begin anew', async () => {
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

    it('keep the model that a person chose for a runtime, and only that', async () => {
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

    it('know who answered first, also when that was replaced, and not of what they are a fork of', async () => {
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

    it('keep facts until they are forgotten, and then do not send them again either', async () => {
      const { conversations } = await open('one')
      const facts = [
        { id: 'f1', ts: 1, text: 'Likes "tea"' },
        { id: 'f2', ts: 2, text: 'Lives in Bern' },
      ]
      for (const fact of facts) value(await conversations.remember(fact))
      expect(value(await conversations.facts())).toEqual(facts)
      const told = 'known:\n- Likes "tea"\n- Lives in Bern\nend'
      value(await conversations.setEpoch('c', epoch({ baseline: told })))
      const section = {
        key: 'user',
        title: 'You',
        status: 'ok' as const,
        chars: 1,
        tokens: 1,
        items: 2,
        left_out: 0,
        truncated: false,
        text: told,
      }
      value(
        await conversations.setSent('one-u', { context: { ...CONTEXT, sections: [section] }, text: told }),
      )
      expect(value(await conversations.forgetFact('f1', '- Likes "tea"'))).toBe(true)
      expect(value(await conversations.forgetFact('f1', '- Likes "tea"'))).toBe(false)
      expect(value(await conversations.facts())).toEqual(facts.slice(1))
      const window = value(await conversations.window('c', ALL))
      const after = 'known:\n- (forgotten)\n- Lives in Bern\nend'
      expect(window?.epoch?.baseline).toBe(after)
      expect(window?.preambles.get('one-u')).toBe(after)
      expect(value(await conversations.sent('c', 'one-u'))?.context.sections[0]?.text).toBe(after)
    })

    it('are listed for whom they are, and are everybody’s where they are nobody’s', async () => {
      const { conversations } = await open()
      value(await conversations.create(head('mine', { owner: 'ada', title: 'tea' })))
      value(await conversations.create(head('theirs', { owner: 'bob', title: 'tea' })))
      value(await conversations.create(head('open', { owner: 'bob', shared: true, title: 'tea' })))
      const seen = async (visibleTo?: string | null, more: object = {}) =>
        value(await conversations.list({ limit: 9, visibleTo, ...more }))
          .rows.map(({ id }) => id)
          .sort()
      for (const more of [{}, { text: 'tea' }, { before: 1_001 }, { before: 1_000, beforeId: '' }]) {
        const all = 'text' in more ? [] : ['c']
        expect(await seen(undefined, more)).toEqual([...all, 'mine', 'open', 'theirs'])
        expect(await seen('ada', more)).toEqual([...all, 'mine', 'open'])
        expect(await seen("ada' OR true --", more)).toEqual([...all, 'open'])
        expect(await seen(null, more)).toEqual([...all, 'open'])
      }
      expect(value(await conversations.list({ limit: 1, visibleTo: 'ada' })).total).toBe(3)
      await exchange(conversations, 'theirs', 'one')
      expect(value(await conversations.change('theirs', { shared: true }))).toMatchObject({
        owner: 'bob',
        shared: true,
      })
      expect(await seen('ada')).toEqual(['c', 'mine', 'open', 'theirs'])
      await exchange(conversations, 'theirs', 'two')
      expect(value(await conversations.head('theirs'))).toMatchObject({ shared: true, title: 'tea' })
      value(await conversations.change('theirs', { shared: false }))
      expect(await seen('ada')).toEqual(['c', 'mine', 'open'])
      expect(value(await conversations.head('nobody'))).toBeNull()
    })

    it('keep the facts of each owner apart', async () => {
      const { conversations } = await open()
      const [one, two, three] = ['f1', 'f2', 'f3'].map((id) => ({ id, ts: 1, text: 'Likes tea' }))
      if (!one || !two || !three) throw new Error()
      value(await conversations.remember(one, 'ada'))
      value(await conversations.remember(two, 'bob'))
      value(await conversations.remember(three))
      expect(value(await conversations.facts('ada'))).toEqual([one])
      expect(value(await conversations.facts('bob'))).toEqual([two])
      expect(value(await conversations.facts())).toEqual([three])
      expect(value(await conversations.facts('eve'))).toEqual([])
    })

    it('stay when the ledger is opened again, are no part of the log, and go into a backup', async () => {
      const opened = await bench.open()
      const { conversations } = opened.ledger
      value(await opened.ledger.append([event(1)]))
      value(await conversations.create(head('c')))
      await exchange(conversations, 'c', 'one')
      value(await conversations.begin(beginning('c', 'two')))
      value(await conversations.remember({ id: 'f', ts: 1, text: 'tea' }))
      value(await opened.ledger.rebuild({ check: false }))
      const before = value(await conversations.get('c'))
      const again = await bench.reopen(opened)
      const file = bench.backupFile(again)
      value(await again.ledger.backup(file))
      for (const ledger of [again.ledger, await bench.restore(file)]) {
        expect(value(await ledger.conversations.get('c'))).toEqual(before)
        expect(value(await ledger.conversations.facts())).toHaveLength(1)
        expect(value(await ledger.conversations.unended())).toEqual([
          { conversation: 'c', run_id: 'two-run' },
        ])
        expect(value(await ledger.head()).last).toBe(1)
      }
    })

    it('go whole when they are forgotten, and leave the others', async () => {
      const { conversations, ledger } = await open('one', 'two')
      await exchange(conversations, 'c', 'three', { replaces: 'two-u' })
      value(await conversations.create(head('d')))
      await exchange(conversations, 'd', 'four')
      const gone = [
        { source: 'panoptes', id: 'c' },
        { source: 'codex', id: 'd' },
      ]
      value(await ledger.forgetting.begin(gone))
      const removed = value(await ledger.forgetting.remove(gone))
      value(await ledger.forgetting.end(gone))
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
