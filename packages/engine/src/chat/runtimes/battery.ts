import type { ChatErrorCode, ChatEvent } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Chat } from '../chat.ts'
import type { Act, PlayedRuntime, RuntimeKit } from './battery-kit.ts'
import {
  type BatteryRoom,
  openBatteryRoom,
  plainContext,
  type ReadRun,
  readAll,
  said,
  value,
} from './battery-room.ts'
import type { RuntimeAdapter, RuntimeRequest } from './port.ts'

export type { RuntimeKit } from './battery-kit.ts'

const LONG = 200_000
/** What an abort may take, with what a busy machine adds. */
const ABORT_MS = 200
const SLACK_MS = 300

/** What every runtime has to stand. */
export function describeRuntime(name: string, kit: RuntimeKit): void {
  describe(`the runtime ${name}`, () => {
    let room: BatteryRoom
    let played: PlayedRuntime
    let chat: Chat
    let id: string

    beforeAll(async () => {
      room = await openBatteryRoom()
    })
    afterAll(() => room.close())
    beforeEach(async () => {
      played = await kit.start()
      await begin()
    })
    afterEach(async () => {
      await chat.close()
      await played.close()
    })

    const begin = async (...more: Parameters<BatteryRoom['open']>[1][]) => {
      chat = room.open([played.adapter, other()], ...more)
      id = value(await chat.create({})).id
    }
    const ask = async (message: string, onEvent?: (event: ChatEvent) => void): Promise<ReadRun> => {
      const run = await readAll(value(await chat.chat(id, said(message))), onEvent)
      expect(run.check.problems).toEqual([])
      return run
    }
    const kept = async () => value(await chat.get(id))
    const answer = async () => (await kept()).messages.at(-1)
    const lacks = (what: NonNullable<RuntimeKit['lacks']>[number]) => kit.lacks?.includes(what) === true
    /** It answers as if nothing had been. */
    const worksAgain = async () => {
      played.play({ say: 'All is well again.' })
      expect((await ask('And now?')).text).toBe('All is well again.')
      expect(await answer()).toMatchObject({ status: 'complete', content: 'All is well again.' })
    }
    const failsWith = async (act: Act, codes: readonly ChatErrorCode[]) => {
      const before = (await kept()).agent_state.runtimes[played.adapter.id]
      played.play(act)
      const { events, text } = await ask('Will it?')
      const last = events.at(-1)
      expect(last?.event === 'error' && codes.includes(last.data.code) ? codes : last).toEqual(codes)
      const { messages, agent_state } = await kept()
      expect(messages.at(-2)).toMatchObject({ role: 'user', content: 'Will it?', status: 'complete' })
      expect(messages.at(-1)).toMatchObject({ status: text === '' ? 'failed' : 'partial', content: text })
      expect(agent_state.runtimes[played.adapter.id]).toEqual(before)
      await vi.waitFor(() => expect(played.working()).toBe(0))
      return { text, last }
    }

    it('answers, and what it said is stored as it was shown', async () => {
      played.play({ say: 'It is so, because it was so.' })
      const { events, text } = await ask('Is it so?')
      expect(text).toBe('It is so, because it was so.')
      expect(events[0]?.event).toBe('metadata')
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
      expect(played.asked().at(-1)).toContain('Is it so?')
      expect(await answer()).toMatchObject({
        status: 'complete',
        content: text,
        runtime: played.adapter.id,
        error: null,
      })
    })

    it('goes on in the same conversation', async () => {
      played.play({ say: 'One.' }, { say: 'Two.' })
      await ask('First?')
      const first = (await kept()).agent_state.runtimes[played.adapter.id]?.rev ?? 0
      expect((await ask('Second?')).text).toBe('Two.')
      expect((await kept()).agent_state.runtimes[played.adapter.id]?.rev).toBeGreaterThan(first)
    })

    it('is read again from any place, by anybody, without a gap', async () => {
      played.play({ say: 'a b c d e f', pieces: 6 })
      const { events } = await ask('Letters?')
      for (const { data } of events) {
        const last = `${data.run_id}:${data.seq}`
        const rest = await readAll(value(await chat.stream(id, last)), undefined, last)
        expect(rest.check.problems).toEqual([])
        expect(rest.events).toEqual(events.slice(data.seq))
      }
    })

    it.skipIf(lacks('empty'))('may say nothing at all', async () => {
      played.play({ say: '' })
      const { events, text } = await ask('Anything?')
      expect(text).toBe('')
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
      expect(await answer()).toMatchObject({ status: 'complete', content: '' })
      await worksAgain()
    })

    it('answers at length', async () => {
      const say = Array.from({ length: LONG / 10 }, (_, at) => `${at}`.padStart(9, '.')).join('\n')
      played.play({ say, pieces: 500 })
      expect((await ask('All of it?')).text).toBe(say)
      expect((await answer())?.content).toBe(say)
    })

    it('gives letters of any script as they are, and nothing that only a terminal understands', async () => {
      const plain = 'Grüße 👩‍👩‍👧 日本語 ‏עברית‏ e\u0301 \u{1F3F4}\u{E0067}\u{E007F} 𝔘\tok\nnew line'
      played.play({ say: `${plain}\u001b[31mred\u001b[0m \u009b1mbold\u0007\b.\u0000`, pieces: 40 })
      expect((await ask('Letters?')).text).toBe(`${plain}red bold.`)
    })

    it.skipIf(lacks('think'))('keeps what it thinks out of what it says', async () => {
      played.play({ think: 'The person means the sea.', say: 'Blue.' })
      const { events, text } = await ask('Which colour?')
      expect(text).toBe('Blue.')
      const thought = events.map((event) =>
        event.event === 'progress' && event.data.kind === 'reasoning' ? deltaIn(event.data.detail) : '',
      )
      expect(thought.join('')).toContain('means the sea')
    })

    describe('stopped', () => {
      const isCancelled = async (run: Promise<ReadRun>, text: string) => {
        const began = performance.now()
        value(await chat.cancel(id))
        expect(performance.now() - began).toBeLessThan(ABORT_MS + SLACK_MS)
        expect((await run).events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
        expect(await answer()).toMatchObject({ status: 'cancelled', content: text })
        expect((await kept()).messages.at(-2)).toMatchObject({ role: 'user', status: 'complete' })
        await vi.waitFor(() => expect(played.working()).toBe(0))
      }
      const until = (is: (event: ChatEvent) => boolean, act: Act, text: string) => async () => {
        played.play({ say: 'Before.' })
        await ask('One thing first.')
        const before = (await kept()).agent_state.runtimes[played.adapter.id]
        played.play(act)
        const reached = Promise.withResolvers<void>()
        let heard = ''
        const run = ask('Go on.', (event) => {
          if (event.event === 'chunk') heard += event.data.delta
          if (is(event) && heard === text) reached.resolve()
        })
        await reached.promise
        await isCancelled(run, text)
        expect((await kept()).agent_state.runtimes[played.adapter.id]).toEqual(before)
        await worksAgain()
      }

      it('while the context is built, it ends at once and nobody is asked', async () => {
        await chat.close()
        await begin({
          build: (input) =>
            new Promise((done) => input.signal.addEventListener('abort', () => done(plainContext(input)))),
        })
        const run = ask('Go on.', () => {})
        await vi.waitFor(async () => expect((await kept()).run_id).not.toBeNull())
        const before = played.asked().length
        await isCancelled(run, '')
        expect(played.asked()).toHaveLength(before)
      })
      it(
        'as it is asked, it ends at once',
        until(
          ({ event, data }) => event === 'progress' && 'kind' in data && data.kind === 'plan',
          { after: 'hangs' },
          '',
        ),
      )
      it('before its first word, it ends at once', async () => {
        played.play({ after: 'hangs' })
        const run = ask('Go on.')
        await vi.waitFor(() => expect(played.working()).toBe(1))
        await isCancelled(run, '')
        await worksAgain()
      })
      it(
        'in the middle of its answer, it keeps what was said',
        until(({ event }) => event === 'chunk', { say: 'Half of the', after: 'hangs' }, 'Half of the'),
      )
      it.skipIf(lacks('approval'))(
        'while it waits for a person, it ends at once',
        until(
          ({ event, data }) => event === 'progress' && 'kind' in data && data.kind === 'approval',
          { say: 'Done.', unlessAllowed: 'Not done.' },
          '',
        ),
      )
    })

    it('that dies in the middle of its answer keeps what was said, and is asked again', async () => {
      const { text } = await failsWith({ say: 'Half of the', pieces: 2, after: 'dies' }, ['died'])
      expect('Half of the'.startsWith(text)).toBe(true)
      expect(text).not.toBe('')
      await worksAgain()
    })
    it('that dies before its first word is asked again', async () => {
      await failsWith({ after: 'dies' }, ['died', 'unreachable'])
      await worksAgain()
    })
    it.skipIf(lacks('garbles'))('that sends what nobody can read fails cleanly', async () => {
      await failsWith({ say: 'Half of the', after: 'garbles' }, ['malformed', 'died'])
      await worksAgain()
    })

    describe.skipIf(lacks('approval'))('asking a person', () => {
      const wants: Act = { say: 'Done.', unlessAllowed: 'Not done.' }
      const choosing = (choose: (choices: readonly string[]) => string | undefined) => (event: ChatEvent) => {
        if (event.event !== 'progress' || event.data.kind !== 'approval' || event.data.status !== 'started')
          return
        const choice = choose(event.data.choices ?? [])
        if (choice !== undefined) void chat.answer(id, event.data.request_id ?? '', choice)
      }

      it('does what was allowed', async () => {
        played.play(wants)
        const { text, events } = await ask(
          'Do it.',
          choosing(() => 'once'),
        )
        expect(text).toBe('Done.')
        expect(played.done()).toBe(1)
        expect(approvalsIn(events)).toMatchObject([
          { status: 'started' },
          { status: 'completed', detail: { choice: 'once' } },
        ])
      })
      it('asks each time what was allowed once', async () => {
        played.play(wants)
        await ask(
          'Do it.',
          choosing(() => 'once'),
        )
        const { events } = await ask(
          'Again.',
          choosing(() => 'once'),
        )
        expect(approvalsIn(events)).toHaveLength(2)
      })
      it('does not do what was denied, and says so', async () => {
        played.play(wants)
        const { text } = await ask(
          'Do it.',
          choosing(() => 'deny'),
        )
        expect(text).toBe('Not done.')
        expect(played.done()).toBe(0)
        await worksAgain()
      })
      it('takes nobody’s answer for a no', async () => {
        await chat.close()
        await begin({ approvalSeconds: 0.1 })
        played.play(wants)
        const { text, events } = await ask('Do it.')
        expect(text).toBe('Not done.')
        expect(played.done()).toBe(0)
        expect(approvalsIn(events)).toMatchObject([
          { status: 'started' },
          { status: 'skipped', detail: { reason: 'timed_out' } },
        ])
      })
    })

    it.skipIf(lacks('401'))('says that its key is refused', async () => {
      const { last } = await failsWith({ refuse: 401 }, ['unauthorized'])
      expect(last).toMatchObject({ data: { retryable: false } })
      await worksAgain()
    })
    it.skipIf(lacks('429'))('says that it was asked too often', async () => {
      const { last } = await failsWith({ refuse: 429 }, ['rate_limited'])
      expect(last).toMatchObject({ data: { retryable: true } })
      await worksAgain()
    })
    it.skipIf(lacks('500'))('says that it broke', async () => {
      await failsWith({ refuse: 500 }, ['provider_error'])
      await worksAgain()
    })

    it('says what to do where it is not installed, and fails cleanly', async () => {
      const absent = await kit.absent()
      const health = await absent.health()
      expect(health.state).not.toBe('ready')
      expect(health.detail).not.toBe('')
      const alone = room.open([absent])
      const conversation = value(await alone.create({}))
      const run = await readAll(value(await alone.chat(conversation.id, said('Is anybody there?'))))
      expect(run.check.problems).toEqual([])
      const last = run.events.at(-1)
      expect(last?.event).toBe('error')
      expect(['not_installed', 'not_configured', 'unreachable']).toContain(
        last?.event === 'error' && last.data.code,
      )
      expect(value(await alone.get(conversation.id)).messages).toMatchObject([
        { role: 'user', content: 'Is anybody there?' },
        { role: 'assistant', status: 'failed', content: '' },
      ])
      await alone.close()
    })

    it('is ready', async () => {
      expect(await played.adapter.health()).toMatchObject({ state: 'ready' })
    })

    it('refuses a second message while it answers the first', async () => {
      played.play({ say: 'Yes', after: 'hangs' })
      const run = ask('First.')
      await vi.waitFor(() => expect(played.working()).toBe(1))
      expect(await chat.chat(id, said('Second.'))).toMatchObject({ ok: false, code: 'busy' })
      value(await chat.cancel(id))
      await run
    })

    it('hands over to another runtime and is handed back to, and neither touches what the other goes on with', async () => {
      played.play({ say: 'The word is heron.' }, { say: 'You then said otter.' })
      await ask('Which word?')
      const own = (await kept()).agent_state.runtimes[played.adapter.id]
      const theirs = await readAll(value(await chat.chat(id, said('And another?', { runtime: 'acp:other' }))))
      expect(theirs.check.problems).toEqual([])
      expect(theirs.text).toContain('The word is heron.')
      const between = (await kept()).agent_state.runtimes
      expect(between[played.adapter.id]).toEqual(own)
      expect(between['acp:other']).toMatchObject({ secret: 'of the other alone' })
      const { text, check } = await readAll(
        value(await chat.chat(id, said('Which were they?', { runtime: played.adapter.id }))),
      )
      expect(check.problems).toEqual([])
      expect(text).toBe('You then said otter.')
      const sent = played.asked().at(-1) ?? ''
      expect(sent).toContain('otter')
      expect(sent).toContain('And another?')
      expect(sent).not.toContain('of the other alone')
      expect((await kept()).agent_state.runtimes['acp:other']).toEqual(between['acp:other'])
    })
  })
}

const deltaIn = (detail: unknown): string =>
  typeof detail === 'object' && detail !== null && 'delta' in detail ? String(detail.delta) : ''

const approvalsIn = (events: readonly ChatEvent[]) =>
  events.flatMap((event) =>
    event.event === 'progress' && event.data.kind === 'approval' ? [event.data] : [],
  )

/** Another runtime of the same conversation: it says what it was handed. */
const other = (): RuntimeAdapter => ({
  id: 'acp:other',
  title: 'Other',
  model: () => null,
  health: async () => ({ state: 'ready', detail: '', models: [], transport: null }),
  run: async function* ({ handover }: RuntimeRequest) {
    yield { type: 'chunk', delta: `otter, after: ${handover.map(({ content }) => content).join(' | ')}` }
    yield { type: 'end', outcome: 'completed', continuity: { secret: 'of the other alone' } }
  },
  close: async () => {},
})
