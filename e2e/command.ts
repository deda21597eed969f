import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseOfHome } from './own-database.ts'

export const ROOT = join(import.meta.dirname, '..')
/** The command in a clone, which runs its sources. */
export const FROM_SOURCES = join(ROOT, 'packages', 'cli', 'bin', 'panoptes.js')

/** An empty home folder of a person; Panoptes uses `.panoptes` in it. */
export interface TestHome {
  readonly folder: string
  readonly panoptes: string
  /** The location of its store, if that is not a file of the home. */
  readonly store?: string | undefined
  readonly remove: () => Promise<void>
}

export async function makeHome(): Promise<TestHome> {
  const [folder, database] = await Promise.all([mkdtemp(join(tmpdir(), 'panoptes-e2e-')), databaseOfHome()])
  return {
    folder,
    panoptes: join(folder, '.panoptes'),
    store: database?.url,
    remove: async () => {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      await database?.drop()
    },
  }
}

/** The environment that names the store of a home, if that is not a file of the home. */
export const storeOf = ({ store }: TestHome): Readonly<Record<string, string>> =>
  store === undefined ? {} : { PANOPTES_LEDGER: store }

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly node?: string
  readonly cwd?: string
  readonly command?: string
  /** Standard input; empty by default. */
  readonly input?: string
}

/** Child processes, which are killed however the tests end. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
process.once('disconnect', () => process.exit())
process.once('SIGTERM', () => process.exit(143))

/** Starts the command as a person's shell would, without the environment of this shell. */
export function spawnCommand(
  home: TestHome,
  args: readonly string[],
  options: CommandOptions = {},
): ChildProcess {
  const bundled = process.env.PANOPTES_TEST_COMMAND
  const command = options.command ?? bundled ?? FROM_SOURCES
  const child = spawn(options.node ?? process.execPath, [command, ...args], {
    cwd: options.cwd ?? home.folder,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home.folder,
      TMPDIR: tmpdir(),
      LANG: 'C.UTF-8',
      PANOPTES_HOME: home.panoptes,
      ...storeOf(home),
      // The tests start the command about a hundred times, so its compiled code is cached.
      NODE_COMPILE_CACHE: join(ROOT, '.cache', 'compiled'),
      // Like npx, so that the command suggests the same commands as in a clone.
      ...(command === bundled ? { npm_command: 'exec' } : {}),
      ...options.env,
    },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.stdin?.end(options.input)
  return child
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command to its end. */
export async function runCommand(
  home: TestHome,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const child = spawnCommand(home, args, options)
  const limit = setTimeout(() => child.kill('SIGKILL'), 90_000)
  const stdout = collect(child, 'stdout')
  const stderr = collect(child, 'stderr')
  const code = await exitOf(child)
  clearTimeout(limit)
  return { code, stdout: stdout(), stderr: stderr() }
}

/** Collects what a child has written so far. */
export function collect(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[stream]?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return () => text
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.once('close', (code) => resolve(code))
  return promise
}
