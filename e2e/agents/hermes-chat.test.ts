import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { ChatEvent, PastSession } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { converse, type HeardConversation } from '../conversation.ts'
import type { Daemon } from '../daemon.ts'
import { type Offering, offering } from './capability-proxy.ts'
import { workFolder } from './claude.ts'
import { describeHermes, type HermesHome, hermesAcpCommand } from './hermes.ts'
import { type HermesApiServer, startHermesApiServer } from './hermes-server.ts'
import { useStage } from './stage.ts'

/** Hermes is started several times, which takes long on a busy computer. */
const LIMIT_MS = 300_000

const { home, start } = useStage()
let scripted: ScriptedServer
let server: HermesApiServer | null = null
let front: Offering | null = null
beforeEach(async () => {
  scripted = await startScripted()
})
afterEach(async () => {
  await front?.close()
  await server?.kill()
  front = server = null
  await scripted.close()
})

const hermes = (): HermesHome => ({
  home: home(),
  asks: { url: `${scripted.url}/v1`, key: 'none', model: 'of-hermes' },
})

/** A daemon whose Jarvis and Hermes have a scripted model each. */
async function daemonWith(runtime: object): Promise<Daemon> {
  await mkdir(home().panoptes, { recursive: true, mode: 0o700 })
  const config = {
    providers: { local: { kind: 'openai', base_url: `${scripted.url}/v1` } },
    runtimes: { jarvis: { provider: 'local', model: 'of-jarvis' }, hermes: runtime },
    chat: { folder: workFolder(home()) },
  }
  await writeFile(join(home().panoptes, 'config.yaml'), JSON.stringify(config))
  return start()
}

async function serverDaemon(features?: Readonly<Record<string, boolean>>): Promise<Daemon> {
  server = await startHermesApiServer(hermes())
  front = features ? await offering(server.url, features) : null
  await writeFile(join(home().folder, 'key-of-hermes'), server.key, { mode: 0o600 })
  return daemonWith({ url: front?.url ?? server.url, api_key_file: '~/key-of-hermes' })
}

async function acpDaemon(): Promise<Daemon> {
  const { command, env } = await hermesAcpCommand(hermes())
  return daemonWith({ command, env })
}

/** The last request to a model. */
const told = (model: string): string =>
  scripted.requests.findLast(({ body }) => body.model === model)?.text ?? ''

const countRequests = (model: string): number =>
  scripted.requests.filter(({ body }) => body.model === model).length

/** Switches from Jarvis to Hermes and back, twice. Each gets what it missed, and none changes the other's state. */
async function goesRound({ say, states, kept }: HeardConversation): Promise<void> {
  scripted.script('of-jarvis', { text: 'The first word is heron.' }, { text: 'The third word is marten.' })
  scripted.script('of-hermes', { text: 'The second word is otter.' }, { text: 'They were three.' })

  expect((await say('Give me a word.', 'jarvis')).text).toBe('The first word is heron.')
  const first = await states()
  expect(Object.keys(first)).toEqual(['jarvis'])

  const second = await say('Another one?', 'hermes')
  expect(second.text).toBe('The second word is otter.')
  expect(second.last).toMatchObject({ event: 'done', data: { outcome: 'completed', runtime: 'hermes' } })
  expect(told('of-hermes')).toContain('The first word is heron.')
  expect(told('of-hermes')).toContain('Give me a word.')
  const after = await states()
  expect(after.jarvis).toEqual(first.jarvis)
  expect(after.hermes).toMatchObject({ rev: 1, session_id: expect.any(String) })
  expect((await kept()).messages.at(-1)?.attachments).toContainEqual({
    runtime: 'hermes',
    kind: 'session',
    title: 'Session of Hermes',
    data: { source: 'hermes', session_id: after.hermes?.session_id },
  })

  expect((await say('And one more?', 'jarvis')).text).toBe('The third word is marten.')
  expect(told('of-jarvis')).toContain('The second word is otter.')
  expect(told('of-jarvis')).not.toContain(String(after.hermes?.session_id))
  const third = await states()
  expect(third.hermes).toEqual(after.hermes)
  expect(third.jarvis?.rev).toBe(2)

  expect((await say('How many were they?', 'hermes')).text).toBe('They were three.')
  const asked = told('of-hermes')
  for (const words of ['heron', 'The second word is otter.', 'The third word is marten.', 'And one more?'])
    expect(asked).toContain(words)
  const last = await states()
  expect(last.hermes).toMatchObject({ rev: 2, session_id: after.hermes?.session_id })
  expect(last.jarvis).toEqual(third.jarvis)
  expect((await kept()).messages.map(({ runtime, status }) => [runtime, status])).toEqual(
    ['jarvis', 'hermes', 'jarvis', 'hermes'].flatMap((who) => [
      [null, 'complete'],
      [who, 'complete'],
    ]),
  )
}

/** Stops Hermes at its first words: it sends no more requests to its model, and its state stays the same. */
async function isStopped({ say, cancel, states, kept }: HeardConversation): Promise<void> {
  scripted.script('of-hermes', { text: 'One long answer of many words. '.repeat(40), pieces: 200, pace: 100 })
  const before = await states()
  let isAsked = false
  const { last, text } = await say('Tell me all.', 'hermes', ({ event }) => {
    if (event !== 'chunk' || isAsked) return
    isAsked = true
    void cancel()
  })
  expect(last).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
  expect((await kept()).messages.at(-1)).toMatchObject({ status: 'cancelled', content: text })
  expect(await states()).toEqual(before)
  const requestCount = countRequests('of-hermes')
  scripted.script('of-hermes', { text: 'Here I am again.' })
  expect((await say('Still there?', 'hermes')).text).toBe('Here I am again.')
  expect(countRequests('of-hermes')).toBe(requestCount + 1)
}

/** Lets the model of Hermes refuse, which must count as a failure however Hermes reports it. */
async function isRefused({ say, states, kept }: HeardConversation): Promise<void> {
  scripted.script('of-hermes', { status: 401 })
  const before = await states()
  const { last } = await say('Anything?', 'hermes')
  expect(last).toMatchObject({ event: 'error', data: { code: 'unauthorized' } })
  expect((await kept()).messages.at(-1)).toMatchObject({ status: 'failed', content: '' })
  expect(await states()).toEqual(before)
}

const approvalIn = (event: ChatEvent): string | null =>
  event.event === 'progress' && event.data.kind === 'approval' && event.data.status === 'started'
    ? (event.data.request_id ?? '')
    : null

/** Lets it remove a folder, for which it must ask first. */
async function asksFirst({ say, choose, kept }: HeardConversation): Promise<void> {
  const folder = join(workFolder(home()), 'old')
  await mkdir(folder, { recursive: true })
  const wants = { calls: [{ id: 'call_1', name: 'terminal', input: { command: `rm -rf ${folder}` } }] }
  const removal = async (choice: string) => {
    scripted.script('of-hermes', wants, { text: `It was ${choice}.` })
    const run = await say('Remove the old folder.', 'hermes', (event) => {
      const request = approvalIn(event)
      if (request !== null) void choose(request, choice)
    })
    expect(run.text).toBe(`It was ${choice}.`)
    expect(run.events.filter((event) => approvalIn(event) !== null)).toHaveLength(1)
  }
  await removal('deny')
  expect((await stat(folder)).isDirectory()).toBe(true)
  await removal('once')
  await expect(readFile(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  const { attachments, content } = (await kept()).messages.at(-1) ?? {}
  expect(content).toBe('It was once.')
  expect(JSON.stringify(attachments)).toContain('"runtime":"hermes"')
}

describeHermes('in a conversation', () => {
  it('works over its API server: continues from Jarvis and back, asks before it acts, can be stopped, and survives a kill', {
    timeout: 240_000,
  }, async () => {
    const daemon = await serverDaemon()
    const health = async () => {
      const reply = await (await daemon.request('/api/runtimes')).json()
      return (reply as { runtimes: readonly { id: string }[] }).runtimes.find(({ id }) => id === 'hermes')
    }
    expect(await health()).toMatchObject({ state: 'ready', transport: 'api' })
    const conversation = await converse(daemon)
    await goesRound(conversation)
    const own = (await conversation.states()).hermes?.session_id
    const known = async () => {
      const reply = await daemon.request('/api/past/sessions')
      return ((await reply.json()) as readonly PastSession[]).map(({ source, id }) => [source, id])
    }
    await expect.poll(known).toContainEqual(['hermes', own])
    await isRefused(conversation)
    await asksFirst(conversation)
    const left = scripted.left.length
    await isStopped(conversation)
    await expect.poll(() => scripted.left.length).toBeGreaterThan(left)

    const { say, states, kept } = conversation
    scripted.script('of-hermes', {
      text: 'Half of the answer, and more. '.repeat(20),
      pieces: 100,
      pace: 100,
    })
    const before = await states()
    let isKilled = false
    const cut = await say('Go on.', 'hermes', ({ event }) => {
      if (event !== 'chunk' || isKilled) return
      isKilled = true
      void server?.kill()
    })
    expect(cut.last).toMatchObject({ event: 'error', data: { code: 'died', retryable: true } })
    expect((await kept()).messages.at(-1)).toMatchObject({ status: 'partial', content: cut.text })
    expect(await states()).toEqual(before)
    expect(await health()).toMatchObject({ state: 'unreachable' })

    const gone = await say('Anybody?', 'hermes')
    expect(gone.last).toMatchObject({ event: 'error', data: { code: 'unreachable' } })
    const port = Number(new URL(server?.url ?? '').port)
    server = await startHermesApiServer({ ...hermes(), port })
    scripted.script('of-hermes', { text: 'I am back.' })
    expect((await say('And now?', 'hermes')).text).toBe('I am back.')
    expect(told('of-hermes')).toContain('The third word is marten.')
    scripted.script('of-jarvis', { text: 'So I heard.' })
    expect((await say('It is back.', 'jarvis')).text).toBe('So I heard.')
    expect(told('of-jarvis')).toContain('I am back.')
  })

  it('works over session streams, which remember, and over chat completions, which do not', {
    timeout: LIMIT_MS,
  }, async () => {
    const daemon = await serverDaemon({ session_chat_streaming: true, session_resources: true })
    const bySession = await converse(daemon)
    await goesRound(bySession)
    await isRefused(bySession)
    const echo = { calls: [{ id: 'call_1', name: 'terminal', input: { command: 'echo it-is-made' } }] }
    scripted.script('of-hermes', { text: 'I make it.', ...echo }, { text: 'It is made.' })
    const { text, events } = await bySession.say('Make it.', 'hermes')
    expect(text).toBe('I make it.\n\nIt is made.')
    expect(events.filter(({ data }) => 'kind' in data && data.kind === 'tool')).toMatchObject([
      { data: { status: 'started' } },
      { data: { status: 'completed' } },
    ])
    const { messages, agent_state } = await bySession.kept()
    expect(messages.at(-1)?.attachments.filter(({ kind }) => kind === 'tools')).toMatchObject([
      {
        runtime: 'hermes',
        kind: 'tools',
        data: [{ name: 'terminal', input: { command: 'echo it-is-made' }, ok: true }],
      },
    ])
    expect(JSON.stringify(messages.at(-1)?.attachments)).toContain('\\"output\\": \\"it-is-made')
    // Hermes has its own session, so it gets only the new messages of Jarvis.
    const session = String(agent_state.runtimes.hermes?.session_id)
    const reply = await fetch(`${server?.url}/api/sessions/${session}/messages`, {
      headers: { authorization: `Bearer ${server?.key}` },
    })
    expect((await reply.text()).match(/The first word is heron/g)).toHaveLength(1)

    front?.offer({ chat_completions: true })
    await daemon.request('/api/runtimes')
    const byCompletions = await converse(daemon)
    await goesRound(byCompletions)
    await isRefused(byCompletions)
  })

  it('works over ACP: continues from Jarvis and back, asks before it acts, and can be stopped', {
    timeout: LIMIT_MS,
  }, async () => {
    const conversation = await converse(await acpDaemon())
    await goesRound(conversation)
    await isRefused(conversation)
    await asksFirst(conversation)
    await isStopped(conversation)
  })
})
