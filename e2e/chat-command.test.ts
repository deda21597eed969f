import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { type ChatEvent, checkStream } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { conversationsOf, lastConversation, writeChatHome } from './chat-command-kit.ts'
import { collect, exitOf, runCommand, spawnCommand } from './command.ts'
import { useHome } from './command-kit.ts'
import type { Daemon } from './daemon.ts'
import { COUNTED, startGated } from './gated-model.ts'

const { home, run, json, start } = useHome()
let models: ScriptedServer
let daemon: Daemon
beforeEach(async () => {
  models = await startScripted()
  models.script('small', { text: 'Grüße, *you*.\nAll is well', pieces: 6 })
  await writeChatHome(home(), models.url)
  daemon = await start()
})
afterEach(() => models.close())

const chat = (...args: string[]) => run('chat', ...args)
/** The whole last request to the model. */
const told = (): string => models.requests.at(-1)?.text ?? ''

describe('panoptes chat with a message', () => {
  it('writes exactly the answer to stdout, with a final newline, and nothing else without a terminal', async () => {
    expect(await chat('Is', 'all', 'well?')).toEqual({
      code: 0,
      stdout: 'Grüße, *you*.\nAll is well\n',
      stderr: '',
    })
    expect(told()).toContain('Is all well?')
    expect(await lastConversation(daemon)).toMatchObject({
      title: 'Is all well?',
      runtime: 'jarvis',
      messages: [
        { role: 'user', content: 'Is all well?' },
        { role: 'assistant', content: 'Grüße, *you*.\nAll is well', status: 'complete' },
      ],
    })
  })

  it('reads the message, or the rest of it, from a pipe', async () => {
    const piped = (input: string, ...args: string[]) => runCommand(home(), ['chat', ...args], { input })
    expect((await piped('the first\nlines')).code).toBe(0)
    expect((await lastConversation(daemon)).messages[0]?.content).toBe('the first\nlines')
    expect((await piped('+ a line', 'Is this safe?', '-')).code).toBe(0)
    expect((await lastConversation(daemon)).messages[0]?.content).toBe('Is this safe?\n\n+ a line')
    expect((await piped(' \n')).code).toBe(2)
    expect(await conversationsOf(daemon)).toHaveLength(2)
  })

  it('continues a conversation by its id, by the start of its id, or the last one', async () => {
    await chat('First words')
    const { id } = await lastConversation(daemon)
    models.script('small', { text: 'again' })
    for (const wanted of [id, id.slice(0, 12), id.slice(5, 12), 'last'])
      expect(await chat('--resume', wanted, `by ${wanted}`)).toMatchObject({ code: 0, stdout: 'again\n' })
    expect(told()).toContain('First words')
    expect((await lastConversation(daemon)).messages).toHaveLength(10)
    expect(await conversationsOf(daemon)).toHaveLength(1)
    const none = await chat('--resume', 'ffff', 'x')
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toContain('No conversation ffff')
  })

  it('sends another model, files and a template along', async () => {
    models.script('other', { text: 'seen' })
    await writeFile(join(home().folder, 'notes.txt'), 'the lock is in run.ts')
    await writeFile(join(home().folder, 'dot.png'), Buffer.from([0x89, 0x50, 0, 255]))
    const files = ['--file', 'notes.txt', '--file', 'dot.png']
    expect(await chat('--model', 'local/other', ...files, 'look')).toMatchObject({
      code: 0,
      stdout: 'seen\n',
    })
    expect(told()).toContain('the lock is in run.ts')
    expect((await lastConversation(daemon)).messages[0]?.files).toEqual([
      { name: 'notes.txt', media_type: 'text/plain', bytes: 21 },
      { name: 'dot.png', media_type: 'image/png', bytes: 4 },
    ])
    const before = await conversationsOf(daemon)
    const lost = await chat('--file', 'nowhere.txt', 'x')
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining('nowhere.txt: it does not exist')])
    const none = await chat('--template', 'none', 'x')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('Unknown template: none')])
    expect(await conversationsOf(daemon)).toEqual(before)
  })

  it('prints every event as a line with --json, and reports the outcome by exit code', async () => {
    const events = async (...args: string[]) => {
      const { code, stdout } = await chat('--json', ...args)
      const lines = stdout.trimEnd().split('\n')
      return { code, events: lines.map((line) => JSON.parse(line) as ChatEvent) }
    }
    const good = await events('Hi')
    const asStream = good.events
      .map(
        ({ event, data }) =>
          `id: ${data.run_id}:${data.seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
      )
      .join('')
    expect(checkStream(asStream)).toMatchObject({
      problems: [],
      end: 'done',
      events: { metadata: 1, done: 1 },
    })
    expect(good.code).toBe(0)
    models.script('small', { status: 401 })
    const bad = await events('Hi')
    expect(bad.code).toBe(1)
    expect(bad.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'unauthorized' } })
  })

  it('suggests what to do for an unknown name or a failing model', async () => {
    const unknown = await chat('--runtime', 'nobody', 'x')
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toMatch(/Unknown runtime: nobody\nAvailable: jarvis/)
    models.script('small', { text: 'half of it, then', pieces: 3, diesAfter: 2, pace: 50 })
    const died = await chat('x')
    expect(died.code).toBe(1)
    expect(died.stdout).not.toBe('')
    expect(died.stderr).toContain('The answer so far is saved.')
    expect((await lastConversation(daemon)).messages.at(-1)).toMatchObject({
      status: 'partial',
      content: died.stdout.slice(0, -1),
    })
    for (const { stderr } of [unknown, died]) expect(stderr).not.toMatch(/ at .*:\d+:\d+/)
  })
})

describe('a running answer', () => {
  const SLOW = { text: 'word '.repeat(200).trim(), pieces: 200, pace: 50 }

  const begin = async () => {
    models.script('small', SLOW)
    const child = spawnCommand(home(), ['chat', 'count'])
    const stdout = collect(child, 'stdout')
    const stderr = collect(child, 'stderr')
    await expect.poll(stdout).toContain('word word')
    return { child, stdout, stderr, exit: exitOf(child) }
  }

  it('is stopped by Ctrl-C, and its text so far is stored', async () => {
    const { child, stdout, stderr, exit } = await begin()
    child.kill('SIGINT')
    expect(await exit, stderr()).toBe(130)
    expect(stderr()).toMatch(
      /The conversation so far is saved. Continue with: .*panoptes chat --resume chat-/,
    )
    await expect.poll(() => models.left.length).toBe(1)
    const { messages, run_id } = await lastConversation(daemon)
    expect(run_id).toBeNull()
    expect(messages.at(-1)).toMatchObject({ status: 'cancelled' })
    expect(`${messages.at(-1)?.content}\n`).toBe(stdout())
  })

  it('continues without its terminal, can be followed from the start, and blocks other messages meanwhile', async () => {
    const gated = await startGated()
    onTestFinished(() => gated.close())
    await daemon.stop()
    await writeChatHome(home(), gated.url)
    daemon = await start()
    gated.allow(3)
    const child = spawnCommand(home(), ['chat', 'count'])
    const exit = exitOf(child)
    await expect.poll(collect(child, 'stdout')).toContain('word3')
    child.kill('SIGKILL')
    await exit
    const busy = await chat('--resume', 'last', 'and now?')
    expect(busy.code).toBe(1)
    expect(busy.stderr).toMatch(
      /is already answering a message\nFollow it with: .*panoptes chat --resume chat-/,
    )
    const following = spawnCommand(home(), ['chat', '--resume', 'last'])
    const followed = collect(following, 'stdout')
    const ended = exitOf(following)
    await expect.poll(followed).toContain('word3')
    gated.allow(COUNTED.length)
    expect(await ended).toBe(0)
    expect(followed()).toBe(`${COUNTED.join(' ')}\n`)
    expect((await lastConversation(daemon)).messages.at(-1)?.content).toBe(COUNTED.join(' '))
    // Nothing runs any more, and no message was stored.
    expect((await chat('--resume', 'last')).code).toBe(2)
  })

  it('ends with an explanation if the daemon is killed, even if the next one starts at once', async () => {
    const { stdout, stderr, exit } = await begin()
    const { id } = await lastConversation(daemon)
    const states = async () => {
      const agents = await (await daemon.request(`/api/agents?session=${id}`)).json()
      return (agents as readonly { state: string }[]).map(({ state }) => state)
    }
    await expect.poll(states).toEqual(['working'])
    // Part of the answer must be stored before the kill.
    await expect.poll(async () => (await lastConversation(daemon)).messages.at(-1)?.content).toMatch(/^word/)
    await daemon.kill()
    daemon = await start()
    expect(await exit, stderr()).toBe(1)
    expect(stderr()).toContain('The answer so far is saved.')
    const { messages } = await lastConversation(daemon)
    expect(messages.at(-1)).toMatchObject({ status: 'partial', error: { code: 'interrupted' } })
    expect(messages.at(-1)?.content.startsWith('word')).toBe(true)
    expect(stdout().startsWith('word')).toBe(true)
    await expect.poll(states).toEqual(['failed'])
    models.script('small', { text: 'here again' })
    expect(await chat('--resume', 'last', 'go on')).toMatchObject({ code: 0, stdout: 'here again\n' })
  })
})

describe('panoptes chat check', () => {
  it("accepts Panoptes's own streams, live and stored, and rejects others", async () => {
    await chat('Hi')
    const { id } = await lastConversation(daemon)
    const at = `${daemon.address}/api/conversations/${id}`
    const header = `Authorization: Bearer ${await daemon.token('full')}`
    const said = await run('chat', 'check', `${at}/chat`, '--post', '{"message":"again"}', '-H', header)
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The stream follows the contract: 1 metadata/),
    })
    expect(await run('chat', 'check', `${at}/stream`, '-H', header)).toEqual(said)
    const bad = await runCommand(home(), ['chat', 'check', '-'], { input: 'event: chunk\ndata: {}\n\n' })
    expect(bad.code).toBe(1)
    expect(bad.stdout).toContain('event 1  first: chunk comes first')
    expect((await run('chat', 'check', `${at}/stream`)).stderr).toContain('answered 401')
  })
})

describe('a permission request without a terminal', () => {
  it('is denied with an explanation', async () => {
    const call = { id: 'c1', name: 'remember', input: { text: 'likes tea' } }
    models.script('small', { calls: [call] }, { text: 'as you like' })
    const { code, stdout, stderr } = await chat('Keep in mind that I like tea')
    expect(`${code} ${stdout}`).toBe('0 as you like\n')
    expect(stderr).toContain('denied, because this is not a terminal')
    expect(await (await daemon.request('/api/memory/facts')).json()).toEqual({ facts: [] })
  })
})

describe('a conversation on the other pages', () => {
  it('is an agent in Live, has its cost and usage in the Ledger, and is listed and searchable among sessions', async () => {
    const usage = { prompt_tokens: 70, completion_tokens: 7, total_tokens: 77 }
    models.script('small', { text: 'the answer', usage })
    await chat('What of the lock?')
    const { id } = await lastConversation(daemon)
    const agents = async () => JSON.parse((await run('agents', '--json', '--session', id)).stdout)
    await expect
      .poll(agents)
      .toMatchObject([
        { source: 'panoptes', session_id: id, id: 'main', subagent_type: 'jarvis', state: 'done' },
      ])
    await expect
      .poll(async () => (await json('ledger', 'agents', '--all')).agents)
      .toMatchObject([{ source: 'panoptes', session_id: id, tokens_in: 70, tokens_out: 7 }])
    const sessions = JSON.parse((await run('sessions', 'list', '--source', 'panoptes', '--json')).stdout)
    expect(sessions).toMatchObject([{ source: 'panoptes', id, title: 'What of the lock?', messages: 2 }])
    expect((await run('sessions', 'search', 'answer')).stdout).toContain('the answer')
  })
})
