import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { createFailure, type RunFailure } from '../run-failure.ts'

export interface AgentCommand {
  /** The agent's name in messages. */
  readonly title: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The terminal command that fixes the problem, if known. */
  readonly advice?: Advice | undefined
}

export interface Advice {
  readonly install?: string | undefined
  readonly signIn?: string | undefined
}

export interface AgentProcess {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves with a description when the process has ended. */
  readonly gone: Promise<string>
  /** The last lines it wrote to standard error. */
  readonly stderrTail: () => string
  /** Ends the process and all its children, and kills them after this many milliseconds. */
  readonly end: (ms?: number) => void
}

const MOST_COMPLAINTS = 4_096
/** How long a process may take to end its children before it is killed. */
const GRACE_MS = 500
/** An agent refuses to start inside another agent, which it detects by these variables. */
const THEIRS = new Set(['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'])

const running = new Set<number>()
process.on('exit', () => {
  for (const pid of running) signalGroup(pid, 'SIGKILL')
})

/** Starts a program in a process group of its own, so that none of its children are left behind. */
export function startProcess({
  title,
  command,
  env,
  cwd,
  advice,
}: AgentCommand): Promise<AgentProcess | RunFailure> {
  const [program = '', ...words] = command
  if (!existsSync(cwd))
    return Promise.resolve(
      createFailure('not_configured', `The working folder of ${title}, ${cwd}, does not exist.`),
    )
  return new Promise((done) => {
    const inheritedEntries = Object.entries(env).filter(([name]) => !THEIRS.has(name))
    const child = spawn(program, words, {
      cwd,
      env: Object.fromEntries(inheritedEntries),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-MOST_COMPLAINTS)
    })
    // Writing to a process that has ended fails; its end is reported separately.
    child.stdin.on('error', () => {})
    const gone = new Promise<string>((over) => {
      child.once('exit', (code, signal) => {
        if (child.pid !== undefined) running.delete(child.pid)
        over(signal ? `it was ended by ${signal}` : `it exited with code ${code}`)
      })
    })
    child.once('error', (error: NodeJS.ErrnoException) =>
      done(createStartFailure(title, program, error, advice)),
    )
    child.once('spawn', () => {
      const pid = child.pid ?? 0
      running.add(pid)
      done({ child, gone, stderrTail: () => complaints, end: (ms) => endGroup(pid, ms) })
    })
  })
}

const createStartFailure = (
  title: string,
  program: string,
  { code }: NodeJS.ErrnoException,
  advice: Advice | undefined,
): RunFailure =>
  code === 'ENOENT' || code === 'EACCES'
    ? createFailure('not_installed', formatNotInstalled(title, program, advice?.install))
    : createFailure('died', `${title} could not be started (${code}).`)

export const formatNotInstalled = (title: string, program: string, install: string | undefined): string =>
  `${title} is not installed: ${program} was not found. ${install ? `Run \`${install}\`` : 'Install it'}, or fix its command in config.yaml.`

function endGroup(pid: number, ms = GRACE_MS): void {
  // The group is signalled even if its leader is gone, because other members may be left.
  signalGroup(pid, 'SIGTERM')
  setTimeout(() => {
    signalGroup(pid, 'SIGKILL')
    running.delete(pid)
  }, ms).unref()
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // The process is already gone.
  }
}

/** Finds a program on the PATH like a shell would; null if there is none. */
export function findProgram(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd = '.',
): string | null {
  if (program === '') return null
  if (/[/\\]/.test(program)) {
    const file = resolve(cwd, program)
    return isProgram(file) ? file : null
  }
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : ['']
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue
    for (const ending of endings) {
      const file = join(folder, program + ending)
      if (isProgram(file)) return file
    }
  }
  return null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
