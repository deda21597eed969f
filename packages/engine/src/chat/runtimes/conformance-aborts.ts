import type { ChatEvent } from '@panoptes/schema'
import { describe, expect, it, vi } from 'vitest'
import { chatInput, plainContext, type ReadRun, readAll, value } from './conformance-environment.ts'
import type { Scene } from './conformance-fixture.ts'
import type { Act } from './conformance-kit.ts'

/** The time limit for an abort, plus the delay of a busy machine. */
const ABORT_MS = 200
const SLACK_MS = 5_000

/** Tests that stop a run at every stage. */
export function describeStops(scene: Scene): void {
  describe('stopping a run', () => {
    const expectCancelled = async (run: Promise<ReadRun>, text: string) => {
      const began = performance.now()
      value(await scene.chat.cancel(scene.id))
      expect(performance.now() - began).toBeLessThan(ABORT_MS + SLACK_MS)
      expect((await run).events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
      expect(await scene.answer()).toMatchObject({ status: 'cancelled', content: text })
      expect((await scene.storedConversation()).messages.at(-2)).toMatchObject({
        role: 'user',
        status: 'complete',
      })
      await vi.waitFor(() => expect(scene.played.activeAnswers()).toBe(0), 30_000)
    }
    const cancelWhen = (is: (event: ChatEvent) => boolean, act: Act, text: string) => async () => {
      scene.played.play({ say: 'Before.' })
      await scene.ask('One thing first.')
      const before = (await scene.storedConversation()).agent_state.runtimes[scene.played.adapter.id]
      scene.played.play(act)
      const reached = Promise.withResolvers<void>()
      let heard = ''
      const run = scene.ask('Go on.', (event) => {
        if (event.event === 'chunk') heard += event.data.delta
        if (is(event) && heard === text) reached.resolve()
      })
      await reached.promise
      await expectCancelled(run, text)
      expect((await scene.storedConversation()).agent_state.runtimes[scene.played.adapter.id]).toEqual(before)
      await scene.worksAgain()
    }

    it('ends at once while the context is built, without asking the runtime', async () => {
      await scene.chat.close()
      await scene.begin({
        build: (input) =>
          new Promise((done) => input.signal.addEventListener('abort', () => done(plainContext(input)))),
      })
      const run = scene.ask('Go on.', () => {})
      await vi.waitFor(async () => expect((await scene.storedConversation()).run_id).not.toBeNull(), 30_000)
      const before = scene.played.requestTexts().length
      await expectCancelled(run, '')
      expect(scene.played.requestTexts()).toHaveLength(before)
    })
    it(
      'ends at once while the request reaches the runtime',
      cancelWhen(
        ({ event, data }) => event === 'progress' && 'kind' in data && data.kind === 'plan',
        { after: 'hangs' },
        '',
      ),
    )
    it('ends at once before the first word', async () => {
      scene.played.play({ after: 'hangs' })
      const run = scene.ask('Go on.')
      await vi.waitFor(() => expect(scene.played.activeAnswers()).toBe(1), 30_000)
      await expectCancelled(run, '')
      await scene.worksAgain()
    })
    it(
      'keeps the partial answer when stopped in the middle',
      cancelWhen(({ event }) => event === 'chunk', { say: 'Half of the', after: 'hangs' }, 'Half of the'),
    )
    it('lets the next message be answered as if the stopped one had never existed', async () => {
      scene.played.play({ say: 'Before.' }, { say: 'Half of the', after: 'hangs' })
      await scene.ask('One thing first.')
      let heard = ''
      const reached = Promise.withResolvers<void>()
      const run = scene.ask('Take it all away.', (event) => {
        if (event.event === 'chunk') heard += event.data.delta
        if (heard === 'Half of the') reached.resolve()
      })
      await reached.promise
      await expectCancelled(run, 'Half of the')
      scene.played.play({ say: 'As you say.' })
      const replaces = (await scene.storedConversation()).messages.at(-2)?.id
      const next = value(await scene.chat.chat(scene.id, chatInput('Leave it all.', { replaces })))
      expect((await readAll(next)).text).toBe('As you say.')
      const sent = scene.played.requestTexts().at(-1) ?? ''
      for (const words of ['One thing first.', 'Before.', 'Leave it all.']) expect(sent).toContain(words)
      expect(sent).not.toContain('Take it all away.')
    })
    scene.can('approval')(
      'while it waits for a person, it ends at once',
      cancelWhen(
        ({ event, data }) => event === 'progress' && 'kind' in data && data.kind === 'approval',
        { say: 'Done.', unlessAllowed: 'Not done.' },
        '',
      ),
    )
  })
}
