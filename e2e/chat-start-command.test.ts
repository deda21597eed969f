import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { conversationsOf, lastConversation, writeChatHome } from './chat-command-kit.ts'
import { FROM_SOURCES, storeOf } from './command.ts'
import { useHome } from './command-kit.ts'
import { startDaemon } from './daemon.ts'

const { home, run, start, stopAfterwards } = useHome()
let models: ScriptedServer
beforeEach(async () => {
  models = await startScripted()
  models.script('small', { text: 'here I am', pieces: 3 })
})
afterEach(() => models.close())

describe('panoptes chat without a running Panoptes', () => {
  it('starts Panoptes in the background, reports that, and leaves it running', async () => {
    await writeChatHome(home(), models.url, { server: { port: 0 } })
    try {
      const first = await run('chat', 'Hi')
      expect(`${first.code} ${first.stdout}`, first.stderr).toBe('0 here I am\n')
      expect(first.stderr).toMatch(
        /Panoptes is running in the background at http:\S+ Stop it with: .*panoptes stop/,
      )
      expect(await run('chat', '--resume', 'last', 'again')).toEqual({
        code: 0,
        stdout: 'here I am\n',
        stderr: '',
      })
      expect((await run('status')).code).toBe(0)
    } finally {
      await run('stop')
    }
  })
})

describe('panoptes chat without a runtime', () => {
  it('reports that no runtime can answer, and suggests what to do for each', async () => {
    // Only the programs of the system are on the path.
    const daemon = await startDaemon({ home: home(), env: { PATH: '/usr/bin:/bin' } })
    stopAfterwards(daemon)
    const { code, stdout, stderr } = await run('chat', 'Hi')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /No runtime can answer\njarvis: No model is available.*\nhermes: Hermes was not found/,
    )
    expect(await conversationsOf(daemon)).toEqual([])
    expect(await run('chat', '--runtime', 'jarvis', 'Hi')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No model is available'),
    })
  })
})

/** Runs the command in a terminal of its own, into which the test types. */
function atTerminal(args: readonly string[]) {
  const command = [process.execPath, process.env.PANOPTES_TEST_COMMAND ?? FROM_SOURCES, ...args]
  const child = spawn('script', ['-qfec', command.map((word) => `'${word}'`).join(' '), '/dev/null'], {
    cwd: home().folder,
    env: {
      PATH: process.env.PATH,
      HOME: home().folder,
      PANOPTES_HOME: home().panoptes,
      ...storeOf(home()),
      TERM: 'xterm',
      NO_COLOR: '1',
    },
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    shown += part
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    type: (keys: string) => void child.stdin.write(keys),
    shows: (text: string | RegExp) => expect.poll(() => shown).toMatch(text),
    clear: () => {
      shown = ''
    },
    exit: once(child, 'close').then(([code]) => code as number),
  }
}

describe('panoptes chat at a terminal', () => {
  it('answers, stops on Ctrl-C and continues until the user exits', async () => {
    await writeChatHome(home(), models.url)
    const daemon = await start()
    const { type, shows, clear, exit } = atTerminal(['chat'])
    await shows('› ')
    type('Hello\r')
    await shows(/here I am\r?\n[\s\S]*› /)
    expect((await lastConversation(daemon)).messages).toHaveLength(2)

    models.script('slow', { text: 'word '.repeat(400), pieces: 400, pace: 50 })
    clear()
    type('/model local/slow\r')
    // Lines that arrive at once are one message.
    await shows(/The next message goes to [\s\S]*› /)
    type('count\r')
    await shows('word word')
    type('\x03')
    await shows(/Stopped\. The answer so far is saved[\s\S]*› /)
    await expect.poll(async () => (await lastConversation(daemon)).messages.at(-1)?.status).toBe('cancelled')

    clear()
    type('two lines\rpasted at once\r')
    await shows('word')
    type('\x03')
    await shows(/Stopped\. The answer so far is saved[\s\S]*› /)
    expect((await lastConversation(daemon)).messages.at(-2)?.content).toBe('two lines\npasted at once')
    type('\x04')
    expect(await exit).toBe(0)
  })

  it('asks for permission, and obeys the choice', async () => {
    await writeChatHome(home(), models.url)
    const daemon = await start()
    const call = { id: 'c1', name: 'remember', input: { text: 'likes tea' } }
    models.script('small', { calls: [call] }, { text: 'noted' })
    const { type, shows, clear, exit } = atTerminal(['chat', 'Keep in mind that I like tea'])
    await shows(/likes tea[\s\S]*\[once\/[^\]]*deny\]/)
    clear()
    type('nonsense\r')
    await shows(/deny\] /)
    type('once\r')
    await shows('noted')
    expect(await exit).toBe(0)
    expect(await (await daemon.request('/api/memory/facts')).json()).toMatchObject({
      facts: [{ text: 'likes tea' }],
    })
  })
})
