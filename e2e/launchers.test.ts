import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FROM_SOURCES, makeHome, ROOT, storeOf, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'

const PATIENCE = { timeout: 30_000, interval: 100 }
const OPTIONS = ['--port', '0', '--no-open']

/** Starts a program in its own process group, so that all of its processes can be found and ended. */
async function launch(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const home = await makeHome()
  const launcher = spawn(program, args, {
    cwd: ROOT,
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: home.folder,
      TMPDIR: tmpdir(),
      PANOPTES_HOME: home.panoptes,
      ...storeOf(home),
      NODE_COMPILE_CACHE: join(ROOT, '.cache', 'compiled'),
      npm_config_update_notifier: 'false',
      ...env,
    },
  })
  const ended = once(launcher, 'exit')
  await once(launcher, 'spawn')
  const group = launcher.pid ?? expect.fail(`${program} did not start`)
  const kill = () => killGroup(group)
  process.once('exit', kill)
  onTestFinished(async () => {
    kill()
    process.off('exit', kill)
    await expect.poll(() => processesIn(group), PATIENCE).toEqual([])
    await home.remove()
  })
  const address = await readAddress(home)
  expect(await isServing(address)).toBe(true)
  return { launcher, group, address, ended }
}

/** The address that the daemon writes into its home once it is ready. */
async function readAddress({ panoptes }: TestHome): Promise<string> {
  const read = () => {
    try {
      return String(JSON.parse(readFileSync(join(panoptes, 'daemon.json'), 'utf8')).address)
    } catch {
      return undefined
    }
  }
  await expect.poll(read, { ...PATIENCE, timeout: 90_000 }).toBeDefined()
  return read() ?? ''
}

const isServing = (address: string): Promise<boolean> =>
  fetch(`${address}/health`).then(
    () => true,
    () => false,
  )

/** The processes of a group, without zombies. */
function processesIn(group: number): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [state, , of] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        return Number(of) === group && state !== 'Z'
      } catch {
        return false
      }
    })
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // The group has no process left.
  }
}

describe('a daemon that npm started', () => {
  it.each([
    ['npx panoptes up', 'SIGTERM', ['npx', 'panoptes', 'up']],
    ['npx panoptes up', 'SIGKILL', ['npx', 'panoptes', 'up']],
    ['npm start', 'SIGTERM', ['npm', 'start', '--']],
    ['npm start', 'SIGKILL', ['npm', 'start', '--']],
  ] as const)(
    'leaves no process behind when `%s` gets %s',
    async (_, signal, [program, ...args]) => {
      const { launcher, group, address, ended } = await launch(program, [...args, ...OPTIONS])
      launcher.kill(signal)
      await ended
      await expect.poll(() => processesIn(group), PATIENCE).toEqual([])
      expect(await isServing(address)).toBe(false)
    },
    180_000,
  )
})

describe('a daemon that a shell started in the background', () => {
  it('keeps serving after that shell ended, also with the environment of an npm script', async () => {
    const script = `"$@" & while [ ! -e "$PANOPTES_HOME/daemon.json" ]; do sleep 0.1; done`
    const command = ['-c', script, 'sh', process.execPath, FROM_SOURCES, 'up', ...OPTIONS]
    const { address, ended } = await launch('sh', command, { npm_command: 'exec' })
    await ended
    // The daemon looks for its launchers once a second.
    const until = Date.now() + 3_000
    await expect.poll(async () => (await isServing(address)) && Date.now() > until, PATIENCE).toBe(true)
  }, 180_000)
})

it.runIf(process.platform === 'linux')(
  'a daemon starts anew in the same process with settings that return unused memory',
  async () => {
    const daemon = await startDaemon({ command: FROM_SOURCES })
    onTestFinished(async () => {
      await daemon.stop()
    })
    const read = (name: string) => readFileSync(`/proc/${daemon.pid}/${name}`, 'utf8').split('\0')
    expect(read('environ')).toContain('MALLOC_ARENA_MAX=2')
    expect(read('cmdline')).toContain('--max-semi-space-size=1')
  },
)
