import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startScripted } from '@panoptes/engine/testing/scripted-models'
import type { ChatEvent, PastSession, ToolStats } from '@panoptes/schema'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { converse, type HeardConversation, type HeardRun } from '../conversation.ts'
import type { Daemon } from '../daemon.ts'
import { makeTempFolder, QUIET, workFolder } from './claude.ts'
import type { ModelServer } from './model-server.ts'
import { configureOpenCode, QUIET as QUIET_OPENCODE } from './opencode.ts'
import { bash, mark, type Script } from './script.ts'
import { useStage } from './stage.ts'
import { CLAUDE_AGENT_ACP, OPENCODE } from './versions.ts'

const { home, start, model } = useStage()
const RUNTIME = 'acp:claude'

/** A daemon that may run one agent. */
async function daemonWith(acp: object): Promise<Daemon> {
  const folder = workFolder(home())
  await mkdir(folder, { recursive: true })
  await mkdir(home().panoptes, { recursive: true, mode: 0o700 })
  const config = { runtimes: { acp }, chat: { folder } }
  await writeFile(join(home().panoptes, 'config.yaml'), JSON.stringify(config))
  return start()
}

/** The real Claude Code, with a model that follows the script. */
async function claudeWith(script: Script): Promise<{ daemon: Daemon; asked: ModelServer }> {
  const asked = await model(script)
  const temp = await makeTempFolder(home())
  const claude = {
    command: [process.execPath, inject('claudeAgentAcp')],
    env: {
      CLAUDE_CODE_EXECUTABLE: inject('clients').newest,
      ANTHROPIC_BASE_URL: asked.address,
      ANTHROPIC_API_KEY: 'no-key-is-needed',
      TMPDIR: temp,
      CLAUDE_CODE_TMPDIR: temp,
      ...QUIET,
    },
  }
  return { daemon: await daemonWith({ claude }), asked }
}

const findEvents = ({ events }: HeardRun, kind: string) =>
  events.flatMap((event) => (event.event === 'progress' && event.data.kind === kind ? [event.data] : []))

/** Answers each question with one choice. */
const choosing =
  ({ choose }: HeardConversation, choice: string) =>
  ({ event, data }: ChatEvent): void => {
    if (event === 'progress' && data.kind === 'approval' && data.status === 'started')
      void choose(data.request_id ?? '', choice)
  }

const sessionOf = async (daemon: Daemon, source: string): Promise<PastSession | undefined> => {
  const reply = await daemon.request(`/api/past/sessions?source=${source}`)
  return ((await reply.json()) as readonly PastSession[])[0]
}

describe(`Claude Code over ACP (${CLAUDE_AGENT_ACP})`, () => {
  it('answers in a conversation, continues it, and asks before it acts', async () => {
    const { daemon, asked } = await claudeWith({
      main: [
        { text: 'The word is heron.' },
        { text: 'It was heron.' },
        { calls: [bash('echo one > allowed.txt')] },
        { text: 'It is written.' },
        { calls: [bash('echo two > denied.txt')] },
        { text: 'It was not to be.' },
      ],
    })
    const conversation = await converse(daemon)
    const { say, states, kept } = conversation
    const first = await say(`${mark('main')} Give me a word.`, RUNTIME)
    expect(first.text).toBe('The word is heron.')
    expect(first.last).toMatchObject({ event: 'done', data: { outcome: 'completed', runtime: RUNTIME } })
    const session = (await states())[RUNTIME]?.session_id
    expect(session).toMatch(/^[0-9a-f-]{36}$/)

    expect((await say('Which was it?', RUNTIME)).text).toBe('It was heron.')
    expect(asked.told.at(-1)).toContain('The word is heron.')
    expect(asked.told.at(-1)?.split('Give me a word.')).toHaveLength(2)
    expect((await states())[RUNTIME]).toMatchObject({ rev: 2, session_id: session })

    const written = await say('Write it.', RUNTIME, choosing(conversation, 'once'))
    expect(written.text).toBe('It is written.')
    expect(findEvents(written, 'approval')).toMatchObject([
      { status: 'started', label: 'echo one > allowed.txt', choices: ['once', 'always', 'deny'] },
      { status: 'completed', detail: { choice: 'once' } },
    ])
    expect(findEvents(written, 'tool').at(-1)).toMatchObject({
      status: 'completed',
      detail: { name: 'Bash' },
    })
    expect(existsSync(join(workFolder(home()), 'allowed.txt'))).toBe(true)

    const denied = await say('Write another.', RUNTIME, choosing(conversation, 'deny'))
    expect(denied.text).toBe('It was not to be.')
    expect(findEvents(denied, 'tool').at(-1)).toMatchObject({ status: 'failed' })
    expect(existsSync(join(workFolder(home()), 'denied.txt'))).toBe(false)

    const answers = (await kept()).messages.filter(({ role }) => role === 'assistant')
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('complete'))
    for (const { attachments } of answers)
      expect(attachments).toMatchObject([
        { kind: 'session', runtime: RUNTIME, data: { source: 'claude-code', session_id: session } },
      ])

    const own = () => sessionOf(daemon, 'claude-code')
    // Usage and calls are counted in its own session, and nowhere else.
    const whole = { id: session, tool_calls: 2, spent: { input: 720, output: 120 } }
    await expect.poll(own, { timeout: 120_000 }).toMatchObject(whole)
    const ours = () => sessionOf(daemon, 'panoptes')
    await expect.poll(ours, { timeout: 120_000 }).toMatchObject({ id: conversation.id, messages: 8 })
    expect(await ours()).toMatchObject({ tool_calls: 0, spent: { input: 0, output: 0, cost_micro_usd: 0 } })
    const tools = (await (await daemon.request('/api/tools')).json()) as readonly ToolStats[]
    expect(tools.filter(({ source }) => source === 'panoptes').map(({ tool }) => tool)).toEqual(['Bash'])
  })

  it('is stopped during its answer, and continues after everything was restarted', async () => {
    const { daemon, asked } = await claudeWith({
      main: [{ text: 'The word is heron.' }, { text: 'Too late.', faults: [{ kind: 'slow', ms: 60_000 }] }],
    })
    const { say, cancel, states, kept, id } = await converse(daemon)
    await say(`${mark('main')} Give me a word.`, RUNTIME)
    const before = await states()
    const run = say('And another?', RUNTIME)
    await expect.poll(() => asked.asked.length).toBe(2)
    const began = performance.now()
    await cancel()
    const { last, text } = await run
    expect(performance.now() - began).toBeLessThan(200 + 300)
    expect(last).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
    expect(text).toBe('')
    expect((await kept()).messages.at(-1)).toMatchObject({ status: 'cancelled' })
    expect(await states()).toEqual(before)

    // The stopped message is in the session that got it; another session gets the rest of the conversation.
    expect((await say('Still there?', RUNTIME)).last).toMatchObject({ event: 'done' })
    const next = (await states())[RUNTIME]?.session_id
    expect(next).not.toBe(before[RUNTIME]?.session_id)
    await daemon.stop()
    const again = await converse(await start(), id)
    const { last: end } = await again.say('Which word was it?', RUNTIME)
    expect(end).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
    expect(asked.told.at(-1)).toContain('The word is heron.')
    expect((await again.states())[RUNTIME]?.session_id).toBe(next)
  })
})

describe(`OpenCode over ACP (${OPENCODE})`, () => {
  it('answers in a conversation, continues it, asks before it acts, and can be stopped', async () => {
    const runtime = 'acp:opencode'
    const scripted = await startScripted()
    onTestFinished(() => scripted.close())
    scripted.script('title', { text: 'A word' })
    await configureOpenCode(home(), {
      url: `${scripted.url}/v1`,
      key: 'none',
      model: 'acting',
      small: 'title',
      permission: 'ask',
    })
    const env = { ...QUIET_OPENCODE, TMPDIR: await makeTempFolder(home()) }
    const opencode = { command: [inject('opencode'), 'acp'], env }
    const conversation = await converse(await daemonWith({ opencode }))
    const { say, cancel, states, kept } = conversation
    const told = () => scripted.requests.findLast(({ body }) => body.model === 'acting')?.text ?? ''

    scripted.script('acting', { text: 'The word is heron.' })
    expect((await say('Give me a word.', runtime)).text).toBe('The word is heron.')
    scripted.script('acting', { text: 'It was heron.' })
    expect((await say('Which was it?', runtime)).text).toBe('It was heron.')
    expect(told()).toContain('The word is heron.')
    const before = await states()
    expect(before[runtime]).toMatchObject({ rev: 2, session_id: expect.stringMatching(/^ses_/) })

    for (const [choice, name] of [
      ['once', 'allowed.txt'],
      ['deny', 'denied.txt'],
    ] as const) {
      const input = { command: `echo ${choice} > ${name}`, description: 'Writes it' }
      scripted.script(
        'acting',
        { calls: [{ id: `call_${choice}`, name: 'bash', input }] },
        { text: 'So be it.' },
      )
      const run = await say('Write it.', runtime, choosing(conversation, choice))
      expect(findEvents(run, 'approval')).toMatchObject([
        { status: 'started', label: input.command, choices: ['once', 'always', 'deny'] },
        { status: 'completed', detail: { choice } },
      ])
      const status = choice === 'once' ? 'completed' : 'failed'
      expect(findEvents(run, 'tool').at(-1)).toMatchObject({ status, detail: { name: 'execute' } })
      expect(run.last).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
      expect(existsSync(join(workFolder(home()), name))).toBe(choice === 'once')
    }

    scripted.script('acting', { text: 'One long answer of many words. '.repeat(40), pieces: 200, pace: 100 })
    let isAsked = false
    const { last } = await say('Tell me all.', runtime, ({ event }) => {
      if (event !== 'chunk' || isAsked) return
      isAsked = true
      void cancel()
    })
    expect(last).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
    expect((await kept()).messages.at(-1)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => scripted.left.length).toBeGreaterThan(0)
    scripted.script('acting', { text: 'Here I am again.' })
    expect((await say('Still there?', runtime)).text).toBe('Here I am again.')
    expect(told()).toContain('The word is heron.')
    const next = (await states())[runtime]?.session_id
    expect(next).not.toBe(before[runtime]?.session_id)
    expect((await kept()).messages.at(-1)).toMatchObject({
      model: 'panoptes/acting',
      attachments: [{ kind: 'session', data: { source: 'opencode', session_id: next } }],
    })
  })
})
