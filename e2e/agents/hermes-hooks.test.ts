import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { type Agent, hookConnectionWords, type SourcesReply } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { collect, exitOf, runCommand } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { workFolder } from './claude.ts'
import { describeHermes, hermesProgram, prepareHermes } from './hermes.ts'
import { useStage } from './stage.ts'

/** Hermes takes seconds to start, and longer on a busy computer. */
const PATIENT = { timeout: 100_000, interval: 100 }

const { home, start } = useStage()
let scripted: ScriptedServer
let daemon: Daemon
let hermes: ChildProcess | undefined
beforeEach(async () => {
  scripted = await startScripted()
})
afterEach(async () => {
  if (hermes !== undefined && hermes.exitCode === null && hermes.signalCode === null) {
    hermes.kill('SIGKILL')
    await exitOf(hermes)
  }
  hermes = undefined
  await scripted.close()
})

const terminal = (id: string, command: string) => ({ calls: [{ id, name: 'terminal', input: { command } }] })
const delegates = {
  calls: [
    {
      id: 'call_d',
      name: 'delegate_task',
      input: { tasks: ['a', 'b'].map((part) => ({ goal: `part ${part}`, context: 'none' })) },
    },
  ],
}

/** Installs the hooks as a person does, and starts a daemon. */
async function connect(): Promise<NodeJS.ProcessEnv> {
  const asks = { url: `${scripted.url}/v1`, key: 'none', model: 'of-hermes' }
  const delegation = {
    ...{ provider: 'custom', base_url: asks.url, api_key: asks.key },
    model: 'of-delegates',
  }
  const env = await prepareHermes({ home: home(), asks, config: { delegation } })
  const path = { PATH: `${env.PATH}` }
  const { code, stdout, stderr } = await runCommand(home(), ['hooks', 'install', 'hermes'], { env: path })
  expect(`${code} ${stderr}`, stdout).toBe('0 ')
  expect(stdout).toContain('does not support webhooks, so these are shell hooks')
  daemon = await start()
  // Hermes runs hooks only after somebody agreed to them.
  return { ...env, HERMES_ACCEPT_HOOKS: '1', TERM: 'xterm' }
}

function ask(env: NodeJS.ProcessEnv): ChildProcess {
  hermes = spawn(hermesProgram(), ['chat', '--quiet', '--yolo', '--query', 'Do it.'], {
    cwd: workFolder(home()),
    stdio: 'ignore',
    env,
  })
  return hermes
}

const agents = async () => (await (await daemon.request('/api/agents')).json()) as readonly Agent[]
const named = async (id: RegExp) => (await agents()).filter((agent) => id.test(agent.id))
const main = async () => (await named(/^main$/))[0]
const connection = async () => {
  const { sources } = (await (await daemon.request('/api/sources')).json()) as SourcesReply
  return sources.find(({ id }) => id === 'hermes')?.hooks?.connection
}

describeHermes('with our hooks', () => {
  it('is connected after its first event, and a command with exit code 5 counts as failed', async () => {
    scripted.script('of-hermes', terminal('c1', 'exit 5'), terminal('c2', 'true'), { text: 'It failed.' })
    const env = await connect()
    expect(await connection()).toBe('installed')
    expect(await exitOf(ask(env))).toBe(0)
    await expect.poll(main, PATIENT).toMatchObject({
      state: 'done',
      errors: 1,
      tool_counts: { terminal: 2 },
    })
    await expect.poll(connection, PATIENT).toBe('connected')
    const { stdout } = await runCommand(home(), ['hooks', 'status'])
    expect(stdout).toContain(`Hermes Agent: ${hookConnectionWords.connected}`)
  })

  it.each([
    ['denied', 3, true],
    ['allowed', 0, false],
  ])(
    'waits for an approval until it is %s, and does not count a denied call as failed',
    async (_how, down, stays) => {
      const doomed = join(workFolder(home()), 'doomed')
      scripted.script('of-hermes', terminal('c1', `rm -rf ${doomed}`), { text: 'Removed or not.' })
      const env = await connect()
      await mkdir(doomed, { recursive: true })
      // A separate terminal, opened with the Python of Hermes.
      const python = join(dirname(hermesProgram()), 'python')
      const inTerminal = ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', hermesProgram(), 'chat']
      hermes = spawn(python, inTerminal, { cwd: workFolder(home()), stdio: 'pipe', env })
      const screen = collect(hermes, 'stdout')
      const type = (keys: string) => hermes?.stdin?.write(keys)
      // Until its prompt appears, the terminal itself echoes input.
      await expect.poll(screen, PATIENT).toContain('❯')
      type('remove it')
      await expect.poll(screen, PATIENT).toContain('remove it')
      type('\r')
      await expect.poll(main, PATIENT).toMatchObject({ state: 'waiting', tool_counts: { terminal: 1 } })
      expect((await main())?.wait_reason).toMatch(/^allow .+\?$/)
      await expect.poll(screen, PATIENT).toMatch(/Deny/i)
      for (let press = 0; press < down; press += 1) type('\u001b[B')
      type('\r')
      await expect.poll(main, PATIENT).toMatchObject({ state: 'done', errors: 0, wait_reason: null })
      expect(existsSync(doomed)).toBe(stays)
      // After a kill from outside it would continue in its terminal and write into the home again.
      type('/exit')
      await expect.poll(screen, PATIENT).toContain('/exit')
      type('\r')
      await exitOf(hermes)
    },
  )

  it('ends the delegates of a finished one-shot as stopped', async () => {
    scripted.script('of-hermes', delegates, { text: 'Both started.' })
    scripted.script('of-delegates', terminal('d1', 'sleep 15'), terminal('d2', 'sleep 15'), { text: 'Done.' })
    await exitOf(ask(await connect()))
    // The database may report the end first, and only the hook that follows knows who ended it.
    await expect
      .poll(async () => (await named(/^sa-/)).map(({ state, outcome }) => `${state} ${outcome}`), PATIENT)
      .toEqual(['done stopped', 'done stopped'])
  })

  it('is shown as lost with its delegates after a kill', async () => {
    scripted.script('of-hermes', delegates, terminal('c1', 'sleep 15'), { text: 'Done.' })
    scripted.script('of-delegates', terminal('d1', 'sleep 15'), terminal('d2', 'sleep 15'), { text: 'Done.' })
    const running = ask(await connect())
    const calls = async () => (await agents()).filter(({ tool_counts }) => tool_counts.terminal === 1).length
    await expect.poll(calls, PATIENT).toBe(3)
    running.kill('SIGKILL')
    await expect
      .poll(async () => (await agents()).map(({ state, outcome }) => `${state} ${outcome}`), PATIENT)
      .toEqual(['done lost', 'done lost', 'done lost'])
  })
})
