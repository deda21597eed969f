import type { ChatEvent } from '@panoptes/schema'
import { describe, expect, it, vi } from 'vitest'
import { describeStops } from './conformance-aborts.ts'
import { chatInput, readAll, value } from './conformance-environment.ts'
import { type Scene, setScene } from './conformance-fixture.ts'
import type { Act, RuntimeKit } from './conformance-kit.ts'

export type { RuntimeKit } from './conformance-kit.ts'

/** The conformance suite that every runtime passes. */
export function describeRuntime(name: string, kit: RuntimeKit): void {
  describe(`the runtime ${name}`, () => {
    const scene = setScene(kit)
    describeAnswers(scene)
    describeStops(scene)
    describeFaults(scene)
    describeApprovals(scene)
    describeConcurrency(scene)
  })
}

/** Tests one conversation with several messages or runtimes at a time. */
function describeConcurrency(scene: Scene): void {
  it('is ready once it has answered, and never reports a failure before it was tried', async () => {
    expect(['ready', 'untried']).toContain((await scene.played.adapter.health()).state)
    await scene.worksAgain()
    expect(await scene.played.adapter.health()).toMatchObject({ state: 'ready' })
  })

  it('rejects a second message while it answers the first', async () => {
    scene.played.play({ say: 'Yes', after: 'hangs' })
    const run = scene.ask('First.')
    await vi.waitFor(() => expect(scene.played.activeAnswers()).toBe(1), 30_000)
    expect(await scene.chat.chat(scene.id, chatInput('Second.'))).toMatchObject({ ok: false, code: 'busy' })
    value(await scene.chat.cancel(scene.id))
    await run
  })

  it("hands over to another runtime and back, without either touching the other's state", async () => {
    scene.played.play({ say: 'The word is heron.' }, { say: 'You then said otter.' })
    await scene.ask('Which word?')
    const own = (await scene.storedConversation()).agent_state.runtimes[scene.played.adapter.id]
    const theirs = await readAll(
      value(await scene.chat.chat(scene.id, chatInput('And another?', { runtime: 'acp:other' }))),
    )
    expect(theirs.check.problems).toEqual([])
    expect(theirs.text).toContain('The word is heron.')
    const between = (await scene.storedConversation()).agent_state.runtimes
    expect(between[scene.played.adapter.id]).toEqual(own)
    expect(between['acp:other']).toMatchObject({ secret: 'of the other alone' })
    const { text, check } = await readAll(
      value(
        await scene.chat.chat(scene.id, chatInput('Which were they?', { runtime: scene.played.adapter.id })),
      ),
    )
    expect(check.problems).toEqual([])
    expect(text).toBe('You then said otter.')
    const sent = scene.played.requestTexts().at(-1) ?? ''
    expect(sent).toContain('otter')
    expect(sent).toContain('And another?')
    expect(sent).not.toContain('of the other alone')
    expect((await scene.storedConversation()).agent_state.runtimes['acp:other']).toEqual(between['acp:other'])
  })
}

/** Tests a backend that breaks, refuses or is missing. */
function describeFaults(scene: Scene): void {
  it('keeps a partial answer if it dies in the middle, and can be asked again', async () => {
    const { text } = await scene.failsWith({ say: 'Half of the', pieces: 2, after: 'dies' }, ['died'])
    expect('Half of the'.startsWith(text)).toBe(true)
    expect(text).not.toBe('')
    await scene.worksAgain()
  })
  it('can be asked again if it dies before its first word', async () => {
    await scene.failsWith({ after: 'dies' }, ['died', 'unreachable'])
    await scene.worksAgain()
  })
  scene.can('garbles')('that sends what nobody can read fails cleanly', async () => {
    await scene.failsWith({ say: 'Half of the', after: 'garbles' }, ['malformed', 'died'])
    await scene.worksAgain()
  })

  scene.can('401')('says that its key is refused', async () => {
    const { last } = await scene.failsWith({ refuse: 401 }, ['unauthorized'])
    expect(last).toMatchObject({ data: { retryable: false } })
    await scene.worksAgain()
  })
  scene.can('429')('says that it was asked too often', async () => {
    const { last } = await scene.failsWith({ refuse: 429 }, ['rate_limited'])
    expect(last).toMatchObject({ data: { retryable: true } })
    await scene.worksAgain()
  })
  scene.can('500')('says that it broke', async () => {
    await scene.failsWith({ refuse: 500 }, ['provider_error'])
    await scene.worksAgain()
  })

  it('tells the user what to do if it is not installed, and fails cleanly', async () => {
    const absent = await scene.kit.absent()
    const health = await absent.health()
    expect(health.state).not.toBe('ready')
    expect(health.detail).not.toBe('')
    const alone = scene.environment.open([absent])
    const conversation = value(await alone.create({}))
    const run = await readAll(value(await alone.chat(conversation.id, chatInput('Is anybody there?'))))
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
}

const LONG = 200_000

/** Tests answers that complete. */
function describeAnswers(scene: Scene): void {
  it('stores its answer as it was shown', async () => {
    scene.played.play({ say: 'It is so, because it was so.' })
    const { events, text } = await scene.ask('Is it so?')
    expect(text).toBe('It is so, because it was so.')
    expect(events[0]?.event).toBe('metadata')
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
    expect(scene.played.requestTexts().at(-1)).toContain('Is it so?')
    expect(await scene.answer()).toMatchObject({
      status: 'complete',
      content: text,
      runtime: scene.played.adapter.id,
      error: null,
    })
  })

  it('continues in the same conversation', async () => {
    scene.played.play({ say: 'One.' }, { say: 'Two.' })
    await scene.ask('First?')
    const first = (await scene.storedConversation()).agent_state.runtimes[scene.played.adapter.id]?.rev ?? 0
    expect((await scene.ask('Second?')).text).toBe('Two.')
    expect(
      (await scene.storedConversation()).agent_state.runtimes[scene.played.adapter.id]?.rev,
    ).toBeGreaterThan(first)
  })

  it('can be read again from any position by any reader without a gap', async () => {
    scene.played.play({ say: 'a b c d e f', pieces: 6 })
    const { events } = await scene.ask('Letters?')
    for (const { data } of events) {
      const last = `${data.run_id}:${data.seq}`
      const rest = await readAll(value(await scene.chat.stream(scene.id, last)), undefined, last)
      expect(rest.check.problems).toEqual([])
      expect(rest.events).toEqual(events.slice(data.seq))
    }
  })

  scene.can('empty')('may say nothing at all', async () => {
    scene.played.play({ say: '' })
    const { events, text } = await scene.ask('Anything?')
    expect(text).toBe('')
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
    expect(await scene.answer()).toMatchObject({ status: 'complete', content: '' })
    await scene.worksAgain()
  })

  it('gives long answers', async () => {
    const say = Array.from({ length: LONG / 10 }, (_, at) => `${at}`.padStart(9, '.')).join('\n')
    scene.played.play({ say, pieces: 500 })
    expect((await scene.ask('All of it?')).text).toBe(say)
    expect((await scene.answer())?.content).toBe(say)
  })

  it('passes on letters of any script and removes terminal control sequences', async () => {
    const plain = 'Grüße 👩‍👩‍👧 日本語 ‏עברית‏ e\u0301 \u{1F3F4}\u{E0067}\u{E007F} 𝔘\tok\nnew line'
    scene.played.play({ say: `${plain}\u001b[31mred\u001b[0m \u009b1mbold\u0007\b.\u0000`, pieces: 40 })
    expect((await scene.ask('Letters?')).text).toBe(`${plain}red bold.`)
  })

  scene.can('think')('keeps what it thinks out of what it says', async () => {
    scene.played.play({ think: 'The person means the sea.', say: 'Blue.' })
    const { events, text } = await scene.ask('Which colour?')
    expect(text).toBe('Blue.')
    const thought = events.map((event) =>
      event.event === 'progress' && event.data.kind === 'reasoning' ? deltaIn(event.data.detail) : '',
    )
    expect(thought.join('')).toContain('means the sea')
  })
}

const deltaIn = (detail: unknown): string =>
  typeof detail === 'object' && detail !== null && 'delta' in detail ? String(detail.delta) : ''

/** Tests actions that need approval. */
function describeApprovals(scene: Scene): void {
  if (scene.lacks('approval')) return
  describe('approval', () => {
    const wants: Act = { say: 'Done.', unlessAllowed: 'Not done.' }
    const answerApprovals =
      (choose: (choices: readonly string[]) => string | undefined) => (event: ChatEvent) => {
        if (event.event !== 'progress' || event.data.kind !== 'approval' || event.data.status !== 'started')
          return
        const choice = choose(event.data.choices ?? [])
        if (choice !== undefined) void scene.chat.answer(scene.id, event.data.request_id ?? '', choice)
      }

    it('lets the runtime do what was approved', async () => {
      scene.played.play(wants)
      const { text, events } = await scene.ask(
        'Do it.',
        answerApprovals(() => 'once'),
      )
      expect(text).toBe('Done.')
      expect(scene.played.approvedActions()).toBe(1)
      expect(approvalsIn(events)).toMatchObject([
        { status: 'started' },
        { status: 'completed', detail: { choice: 'once' } },
      ])
    })
    it('is requested after the call was shown, so that the call is visible as waiting', async () => {
      scene.played.play(wants)
      const { events } = await scene.ask(
        'Do it.',
        answerApprovals(() => 'once'),
      )
      const progressEvents = events.flatMap((event) => (event.event === 'progress' ? [event.data] : []))
      const firstApproval = progressEvents.findIndex(({ kind }) => kind === 'approval')
      const answered = progressEvents.findLastIndex(({ kind }) => kind === 'approval')
      expect(progressEvents.slice(firstApproval, answered + 1).map(({ kind }) => kind)).toEqual([
        'approval',
        'approval',
      ])
      const { parent_id: call } = progressEvents[firstApproval] ?? {}
      if (call !== undefined)
        expect(progressEvents.slice(0, firstApproval)).toContainEqual(
          expect.objectContaining({
            node_id: call,
            kind: 'tool',
            status: expect.stringMatching(/started|running/),
          }),
        )
    })
    it('is requested again for an action that was approved once', async () => {
      scene.played.play(wants)
      await scene.ask(
        'Do it.',
        answerApprovals(() => 'once'),
      )
      const { events } = await scene.ask(
        'Again.',
        answerApprovals(() => 'once'),
      )
      expect(approvalsIn(events)).toHaveLength(2)
    })
    it('keeps the runtime from a denied action, and the answer reports that', async () => {
      scene.played.play(wants)
      const { text } = await scene.ask(
        'Do it.',
        answerApprovals(() => 'deny'),
      )
      expect(text).toBe('Not done.')
      expect(scene.played.approvedActions()).toBe(0)
      await scene.worksAgain()
    })
    it('counts as denied if nobody answers', async () => {
      await scene.chat.close()
      await scene.begin({ approvalSeconds: 0.1 })
      scene.played.play(wants)
      const { text, events } = await scene.ask('Do it.')
      expect(text).toBe('Not done.')
      expect(scene.played.approvedActions()).toBe(0)
      expect(approvalsIn(events)).toMatchObject([
        { status: 'started' },
        { status: 'skipped', detail: { reason: 'timed_out' } },
      ])
    })
  })
}

const approvalsIn = (events: readonly ChatEvent[]) =>
  events.flatMap((event) =>
    event.event === 'progress' && event.data.kind === 'approval' ? [event.data] : [],
  )
