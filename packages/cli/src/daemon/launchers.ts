import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const POLL_MS = 1_000

export interface ProcessInfo {
  readonly parent: number
  readonly command: string
}

export interface ProcessTable {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly parent: number
  readonly read: (pid: number) => ProcessInfo | undefined
}

/**
 * Calls `stop` when npm, npx or a Node that re-ran the command is gone. Their end does not reach this process by
 * itself: npm passes SIGTERM on to the shell between the two, which dies without passing it on, and SIGKILL is
 * never passed on. Returns a function that ends the watch.
 */
export function watchLaunchers(stop: () => void): () => void {
  const launchers = findLaunchers({ env: process.env, parent: process.ppid, read: readProcess })
  const [parent] = launchers
  if (parent === undefined) return () => undefined
  const timer = setInterval(() => {
    if (process.ppid === parent && launchers.every(isAlive)) return
    clearInterval(timer)
    stop()
  }, POLL_MS).unref()
  return () => clearInterval(timer)
}

/**
 * The processes that exist only to run this one, nearest first. The environment alone proves nothing, because
 * whatever npm starts passes `npm_command` on: a shell inside an npm script may end before the daemon it started.
 */
export function findLaunchers({ env, parent, read }: ProcessTable): readonly number[] {
  // A Node that re-runs the command gives its process id.
  if (env.PANOPTES_RERUN === String(parent)) {
    const rerun = read(parent)
    return [parent, ...(rerun === undefined ? [] : findLaunchers({ env, parent: rerun.parent, read }))]
  }
  if (env.npm_command === undefined) return []
  const direct = read(parent)
  if (direct === undefined) return []
  if (isNpm(direct)) return [parent]
  // Some shells replace themselves with their last command, and some stay.
  const above = /^\S*sh -c /.test(direct.command) ? read(direct.parent) : undefined
  return above !== undefined && isNpm(above) ? [parent, direct.parent] : []
}

/** npm and npx set their process title, for example to "npm exec panoptes up". */
const isNpm = ({ command }: ProcessInfo): boolean => /^npm( |$)/.test(command)

function readProcess(pid: number): ProcessInfo | undefined {
  try {
    return process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid)
  } catch {
    return undefined
  }
}

function readFromProc(pid: number): ProcessInfo {
  // The second field is the program name in parentheses, which may itself contain parentheses and spaces.
  const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  return { parent: Number(parent), command: command.trim() }
}

function readFromPs(pid: number): ProcessInfo {
  const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  const [, parent = '', command = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
  return { parent: Number(parent), command }
}

function isAlive(pid: number): boolean {
  // A process that ended stays in the table, without a command, until its parent waits for it.
  if (process.platform === 'linux') return Boolean(readProcess(pid)?.command)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
