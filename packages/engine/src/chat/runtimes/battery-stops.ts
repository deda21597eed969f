import type { ChatEvent } from '@panoptes/schema'
import { describe, expect, it, vi } from 'vitest'
import type { Act } from './battery-kit.ts'
import { plainContext, type ReadRun, readAll, said, value } from './battery-room.ts'
import type { Scene } from './battery-scene.ts'

/** What an abort may take, with what a busy machine adds. */
const ABORT_MS = 200
const SLACK_MS = 5_000

/** Runs that are stopped, at every stage. */
export function describeStops(scene: Scene): void {
  describe('stopped', () => {
    const isCancelled = async (run: Promise<ReadRun>, text: string) => {
      const began = performance.now()
      value(await scene.chat.cancel(scene.id))
      expect(performance.now() - began).toBeLessThan(ABORT_MS + SLACK_MS)
      expect((await run).events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
      expect(await scene.answer()).toMatchObject({ status: 'cancelled', content: text })
      expect((await scene.kept()).messages.at(-2)).toMatchObject({ role: 'user', status: 'complete' })
      await vi.waitFor(() => expect(scene.played.working()).toBe(0), 30_000)
    }
    const until = (is: (event: ChatEvent) => boolean, act: Act, text: string) => async () => {
      scene.played.play({ say: 'Before.' })
      await scene.ask('One thing first.')
      const before = (await scene.kept()).agent_state.runtimes[scene.played.adapter.id]
      scene.played.play(act)
      const reached = Promise.withResolvers<void>()
      let heard = ''
      const run = scene.ask('Go on.', (event) => {
        if (event.event === 'chunk') heard += event.data.delta
        if (is(event) && heard === text) reached.resolve()
      })
      await reached.promise
      await isCancelled(run, text)
      expect((await scene.kept()).agent_state.runtimes[scene.played.adapter.id]).toEqual(before)
      await scene.worksAgain()
    }

    it('while the context is built, it ends at once and nobody is asked', async () => {
      await scene.chat.close()
      await scene.begin({
        build: (input) =>
          new Promise((done) => input.signal.addEventListener('abort', () => done(plainContext(input)))),
      })
      const run = scene.ask('Go on.', () => {})
      await vi.waitFor(async () => expect((await scene.kept()).run_id).not.toBeNull(), 30_000)
      const before = scene.played.asked().length
      await isCancelled(run, '')
      expect(scene.played.asked()).toHaveLength(before)
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
      scene.played.play({ after: 'hangs' })
      const run = scene.ask('Go on.')
      await vi.waitFor(() => expect(scene.played.working()).toBe(1), 30_000)
      await isCancelled(run, '')
      await scene.worksAgain()
    })
    it(
      'in the middle of its answer, it keeps what was said',
      until(({ event }) => event === 'chunk', { say: 'Half of the', after: 'hangs' }, 'Half of the'),
    )
    it('and asked otherwise, it answers as if the stopped message had never been', async () => {
      scene.played.play({ say: 'Before.' }, { say: 'Half of the', after: 'hangs' })
      await scene.ask('One thing first.')
      let heard = ''
      const reached = Promise.withResolvers<void>()
      const run = scene.ask('Take it all away.', (event) => {
        if (event.event === 'chunk') heard += event.data.delta
        if (heard === 'Half of the') reached.resolve()
      })
      await reached.promise
      await isCancelled(run, 'Half of the')
      scene.played.play({ say: 'As you say.' })
      const replaces = (await scene.kept()).messages.at(-2)?.id
      const next = value(await scene.chat.chat(scene.id, said('Leave it all.', { replaces })))
      expect((await readAll(next)).text).toBe('As you say.')
      const sent = scene.played.asked().at(-1) ?? ''
      for (const words of ['One thing first.', 'Before.', 'Leave it all.']) expect(sent).toContain(words)
      expect(sent).not.toContain('Take it all away.')
    })
    scene.can('approval')(
      'while it waits for a person, it ends at once',
      until(
        ({ event, data }) => event === 'progress' && 'kind' in data && data.kind === 'approval',
        { say: 'Done.', unlessAllowed: 'Not done.' },
        '',
      ),
    )
  })
}
